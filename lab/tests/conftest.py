"""The laboratory's tests share the folder of real files, and the settings, with those of the product."""

from tests.conftest import data_folder as data_folder
