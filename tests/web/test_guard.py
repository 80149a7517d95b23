"""Who is let in: names, origins, the password; and odd requests to everything the interface offers."""

import base64
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from starlette.testclient import TestClient

from cookscribe.web.app import build
from cookscribe.web.security import FREE_TRIES, is_local, own_names
from cookscribe.web.services import Services, Settings
from tests.export.documents import soup

HOME = "http://127.0.0.1:8420"
PASSWORD = "correct horse"


def client(folder: Path, **options: Any) -> TestClient:
    """An application without its worker."""
    return TestClient(build(Settings(folder, **options)), base_url=HOME, follow_redirects=False)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client(tmp_path_factory.mktemp("locked"), host="0.0.0.0", password=PASSWORD, names=("kitchen.example",))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8420", "localhost:1", "[::1]:8420", "LOCALHOST"])
def test_our_own_names_are_answered(home: TestClient, host: str) -> None:
    assert home.get("/api/recipes", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8420", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.7",
             "evil@127.0.0.1", "127.0.0.1/evil", "", "a" * 300, "0x7f000001", "[::1", "127.0.0.1:80:80"]
)  # fmt: skip
def test_a_name_that_somebody_else_owns_is_refused(home: TestClient, host: str) -> None:
    answer = home.get("/api/recipes", headers={"host": host})
    assert answer.status_code == 403
    assert answer.json()["subject"] == "Host"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_change_nothing(home: TestClient, headers: dict[str, str]) -> None:
    new = {"name": "a.mp4", "size": 10}
    for method, path in (("POST", "/api/uploads"), ("DELETE", "/api/bin"), ("POST", "/api/session")):
        assert home.request(method, path, json=new, headers=headers).status_code == 403, path
    if "sec-fetch-site" in headers:
        assert home.get("/api/recipes", headers=headers).status_code == 403, "nor do they read"
        assert home.get("/", headers=headers).status_code == 200, "but a link to us may be followed"


def test_our_own_page_may(home: TestClient) -> None:
    headers = {"origin": HOME, "sec-fetch-site": "same-origin"}
    assert home.delete("/api/bin", headers=headers).status_code == 200


@pytest.mark.parametrize("path", ["/", "/bin", "/docs", "/login", "/api/recipes", "/assets/base.css", "/nothing"])
def test_every_answer_carries_the_policy(home: TestClient, path: str) -> None:
    headers = home.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


def test_pages_hold_no_script_and_load_nothing_from_elsewhere(home: TestClient) -> None:
    for path in ("/", "/bin", "/docs", "/login"):
        page = home.get(path).text
        assert page.count("<script") == page.count('<script type="module" src="/assets/') == 1
        assert "style=" not in page
        assert "http://" not in page
        assert "https://" not in page


@pytest.mark.parametrize(
    "path",
    ["/assets/../db.py", "/assets/..%2fdb.py", "/assets/%2e%2e/app.py", "/assets/", "/assets/base.css%00.js",
     "/r/../../etc/passwd", "/r/%2e%2e%2f%2e%2e", "/api/recipes/..%2f..%2fetc", "/api/recipes/ABCDEFGHIJKL/film",
     "/api/recipes/abcdefgh2345/pictures/../../../cookscribe.db", "/films/abcdefgh2345/film.mp4", "/cookscribe.db"],
)  # fmt: skip
def test_no_way_leads_out_of_the_assets_and_the_films(home: TestClient, path: str) -> None:
    answer = home.get(path)
    assert answer.status_code in (404, 422), answer.status_code
    assert set(answer.json()) == {"subject", "cause", "advice"}


def test_without_the_password_only_the_door_is_open(locked: TestClient) -> None:
    assert locked.get("/login").status_code == 200
    assert locked.get("/assets/base.css").status_code == 200
    for path in ("/api/recipes", "/r/abcdefgh2345/film", "/openapi.json", "/api/events", "/assets", "/docs"):
        assert locked.get(path).status_code in (401, 404), path
        assert locked.get(path).status_code == 401 or path == "/assets"
    sent = locked.get("/bin", headers={"accept": "text/html"})
    assert (sent.status_code, sent.headers["location"]) == (303, "/login?to=/bin")


def test_the_password_opens_and_log_out_closes(locked: TestClient) -> None:
    entered = locked.post("/api/session", json={"password": PASSWORD})
    assert entered.status_code == 204
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert locked.get("/api/recipes").status_code == 200
    assert locked.get("/api/recipes", headers={"host": "kitchen.example"}).status_code == 200
    assert locked.get("/api/recipes", headers={"host": "evil.example"}).status_code == 403
    assert locked.delete("/api/session").status_code == 204
    locked.cookies.set("cookscribe", cookie.split("=")[1].split(";")[0])
    assert locked.get("/api/recipes").status_code == 401, "the session is over, whoever kept its cookie"
    locked.cookies.clear()
    basic = base64.b64encode(f"any:{PASSWORD}".encode()).decode()
    assert locked.get("/api/recipes", headers={"authorization": f"Basic {basic}"}).status_code == 200


def test_guessing_is_slowed_down(tmp_path: Path) -> None:
    door = client(tmp_path, host="0.0.0.0", password=PASSWORD)
    answers = [door.post("/api/session", json={"password": f"guess {n}"}).status_code for n in range(FREE_TRIES + 2)]
    assert answers == [401] * FREE_TRIES + [429] * 2
    assert door.post("/api/session", json={"password": PASSWORD}).status_code == 429, "even the right one has to wait"


def test_a_new_password_ends_all_sessions(tmp_path: Path) -> None:
    first = client(tmp_path, host="0.0.0.0", password=PASSWORD)
    first.post("/api/session", json={"password": PASSWORD})
    assert first.get("/api/recipes").status_code == 200
    second = client(tmp_path, host="0.0.0.0", password="another one")
    second.cookies = first.cookies
    assert second.get("/api/recipes").status_code == 401


def test_which_addresses_are_this_machine_alone() -> None:
    assert [is_local(host) for host in ("127.0.0.1", "::1", "localhost", "127.8.8.8")] == [True] * 4
    assert [is_local(host) for host in ("0.0.0.0", "::", "192.168.0.2", "kitchen.local")] == [False] * 4
    assert own_names("127.0.0.1") == {"localhost"}


# Odd requests to everything


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Any:
    app = build(
        Settings(tmp_path_factory.mktemp("odd"), names=("testserver",), max_upload=10_000, worker=("sleep", "600"))
    )
    services: Services = app.state.services
    for recipe in ("abcdefgh2345", "bbcdefgh2345"):
        with services.library.db.writing() as connection:
            services.library.add(connection, recipe, "soup.mp4", soup(), "made up")
    found = schemathesis.openapi.from_asgi("/openapi.json", app)
    return found.exclude(path="/api/events")  # never ends


def test_no_request_breaks_the_server(schema: Any) -> None:
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 25
    seen = set()

    for operation in operations:

        @settings(max_examples=8, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(operation.as_strategy())
        def odd_request(case: Any) -> None:
            for name in ("recipe", "upload"):
                # Half of the requests are about a recipe that is there.
                known = case.path_parameters or {}
                if name in known and len(case.path_parameters) + len(str(case.body)) % 2:
                    case.path_parameters[name] = "abcdefgh2345"
            answer = case.call()
            case.validate_response(answer, checks=[not_a_server_error])
            seen.add(answer.status_code)
            if answer.status_code >= 400:
                assert set(answer.json()) == {"subject", "cause", "advice"}

        odd_request()
    assert {200, 404, 422} <= seen
