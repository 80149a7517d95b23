"""The rivals by the names of their rows."""

from cookscribe_lab.rivals.base import Rival
from cookscribe_lab.rivals.echr import Echr
from cookscribe_lab.rivals.mart import Mart
from cookscribe_lab.rivals.masked_transformer import MaskedTransformer
from cookscribe_lab.rivals.sgr import Sgr
from cookscribe_lab.rivals.svpc import Svpc

RIVALS: dict[str, type[Rival]] = {"MT": MaskedTransformer, "ECHR": Echr, "SGR": Sgr, "MART": Mart, "SVPC": Svpc}
