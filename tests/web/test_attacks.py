"""What somebody might send who means harm, or errs: each gets one clear answer, and the server goes on."""

import json

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from jaxgp.web import answers, guard
from tests.web.site import browsing, make, rows, write_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    write_run(folder / "runs" / "a", rows(3), text="<script>alert(1)</script>", title="<script>alert(2)</script>")
    (folder / "runs" / "a" / "report.html").write_text("<script>fetch('/')</script>")
    (folder / "secret").mkdir()
    (folder / "secret" / "champion.json").write_text('{"text": "secret", "game": {"name": "nim"}}')
    (folder / "runs" / "linked").symlink_to(folder / "secret")
    leading = write_run(folder / "runs" / "b", rows(1))
    (leading / "champion.json").symlink_to(folder / "secret" / "champion.json")
    (leading / "report.html").symlink_to(folder / "secret" / "champion.json")
    return folder


@pytest.fixture(scope="module")
def browser(folder):
    with browsing(make(folder)) as found:
        yield found


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8000", "localtest.me:8000", ""])
def test_another_host_is_refused(browser, host):
    assert browser.get("/", headers={"host": host}).status_code == 400


@pytest.mark.parametrize(
    "head",
    [
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:9000"},
        {"origin": "https://127.0.0.1:8000"},
        {"origin": "null"},
        {"origin": ""},
        {"x-page": ""},
        {"x-page": "guess"},
        {"x-page": "\u00e9".encode("latin-1")},
    ],
)
def test_a_write_without_our_origin_or_token_is_refused(browser, head):
    body = {"game": "nim", "first": "human", "second": "random"}
    answer = browser.post("/new", body, **head)
    assert (answer.status_code, browser.site.hall.open) == (403, {})


def test_other_sites_may_lead_here_but_ask_for_nothing(browser):
    foreign = {"sec-fetch-site": "cross-site"}
    assert browser.get("/", headers=foreign | {"sec-fetch-mode": "navigate"}).status_code == 200
    for path in ("/", "/page.js", "/stream?run=0", "/watch.csv?run=0"):
        assert browser.get(path, headers=foreign | {"sec-fetch-mode": "no-cors"}).status_code == 403


def test_methods_that_are_not_used_are_refused(browser):
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert browser.client.request(method, "/").status_code == 405
    assert browser.get("/play/x/move").status_code == 405
    assert browser.post("/", {}).status_code == 405


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"\xff", 400),
        (b"[" * 5000, 400),
        (b'{"at": NaN}', 400),
        (b" " * (guard.LARGEST_BODY + 1), 413),
        (b" " * 10_000_000, 413),
    ],
)
def test_a_body_that_is_no_object_of_json_or_too_large_is_refused(browser, content, code):
    assert browser.client.post("/new", content=content, headers=browser.head).status_code == code


@pytest.mark.parametrize(
    "path",
    [
        *("/../secret/champion.json", "/%2e%2e/secret", "/run/../secret", "/run/0/../../secret", "/run/-1", "/run/x"),
        *("/run/99", "/run/" + "9" * 400, "/page/0", "/page/9", "/play/../../secret", "/play/%2e%2e%2fsecret"),
        *("/play/a%00b", "/play/" + "x" * 5000, "/watch", "/watch?run=x", "/watch?run=99", "/stream?run=99"),
        *(
            "/page.py",
            "/nothing",
            "/play/x/stream",
            "/watch?" + "&".join(f"run={n}" for n in range(99)),
        ),
    ],
)
def test_a_path_that_leads_nowhere_is_answered_by_404(browser, path):
    answer = browser.get(path)
    assert answer.status_code in (404, 405)  # 405: to that place only something can be sent
    assert "secret" not in answer.text.replace("/secret", "")


def test_links_out_of_the_folder_are_not_followed(browser):
    found = {one.path.name: one for one in browser.site.runs.all()}
    assert set(found) == {"a", "b"}
    page = browser.get(f"/run/{found['b'].number}").text
    assert "secret" not in page
    assert browser.get(f"/run/{found['b'].number}/report").status_code == 404


def test_text_of_a_run_is_escaped_and_its_report_is_in_a_sandbox(browser):
    number = next(one.number for one in browser.site.runs.all() if one.path.name == "a")
    for path in ("/", f"/run/{number}"):
        answer = browser.get(path)
        assert "<script>alert" not in answer.text
        assert "&lt;script&gt;alert(2)" in answer.text
        assert "script-src" not in answer.headers["content-security-policy"]
        assert "default-src 'self'" in answer.headers["content-security-policy"]
    report = browser.get(f"/run/{number}/report")
    assert report.headers["content-security-policy"].startswith("sandbox allow-scripts; default-src 'none'")


def test_every_answer_has_the_headers_of_the_guard(browser):
    for path, code in (("/", 200), ("/nothing", 404), ("/page.js", 200)):
        answer = browser.get(path)
        assert answer.status_code == code
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "<script>" not in browser.get("/").text
    assert " style=" not in browser.get("/new").text


@pytest.mark.parametrize(
    "champion",
    [
        {"text": "(" * 100_000},
        {"text": ["x"] * 100_000},
        {"text": None, "fitness": None},
        {"text": "x", "fitness": 1e308, "generation": 10**15, "game": "nim"},
        {"text": {"a": 1}, "game": {"name": 5}, "title": 7, "seed": "x"},
    ],
)
def test_a_champion_of_any_content_is_shown_in_bounds(tmp_path, champion):
    write_run(tmp_path / "runs" / "a", rows(2), **champion)
    with browsing(make(tmp_path)) as browser:
        for path in ("/", "/run/0", "/new?run=0"):
            answer = browser.get(path)
            assert answer.status_code in (200, 404)
            assert len(answer.text) < 100_000
            assert "Traceback" not in answer.text


RECORDS = (
    *(b"", b"{", b"\n\n\n", b"[1]\n", b'{"generation": 1e9}\n', b'{"generation": true}\n', b"\xff\xfe\n" * 9),
    b'{"generation": 0, "best_fitness": NaN}\n',
    b'{"generation": 0, "x": 1e999, "y": ' + b"9" * 400 + b"}\n",
    b'{"generation": 0, "x": "a"}\n{"generation": 1, "x": 5}\n{"gener',
    b'{"generation": 0, "x": 1e99}\n{"generation": 1, "x": -1e99}\n{"generation": 2, "x": 1e-300}\n',
    b"[" * 10_000 + b"\n",
)


@pytest.mark.parametrize("lines", RECORDS)
def test_a_record_of_any_content_is_read_as_far_as_it_is_one(tmp_path, lines):
    folder = write_run(tmp_path / "runs" / "a", [])
    (folder / "metrics.jsonl").write_bytes(lines)
    with browsing(make(tmp_path)) as browser:
        for path in ("/", "/run/0", "/run/0?log=1", "/watch?run=0&metric=x&metric=y&log=1", "/watch.csv?run=0"):
            assert browser.get(path).status_code == 200


def test_files_that_are_no_files_of_a_run_are_passed_over(tmp_path):
    folder = write_run(tmp_path / "runs" / "a", rows(1))
    for name in ("status.json", "config.yaml", "metrics.jsonl"):
        (folder / name).unlink()
        (folder / name).mkdir()
    (folder / "champion.json").write_text("{" * 9)
    with browsing(make(tmp_path)) as browser:
        assert browser.get("/").status_code == 200
        assert browser.get("/run/0").status_code == 200


def test_a_token_is_shown_once_and_kept_as_a_cookie(tmp_path):
    with browsing(make(tmp_path, host="0.0.0.0", token="a long word")) as browser:
        assert browser.get("/").status_code == 403
        assert browser.get("/?token=another").status_code == 403
        answer = browser.get("/new?token=a+long+word&game=nim", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/new?game=nim")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert browser.get("/").status_code == 200
        assert browser.get("/", headers={"host": "evil.example"}).status_code == 400


def test_more_streams_than_are_allowed_are_refused(browser):
    browser.site.streams = answers.STREAMS
    try:
        assert browser.get("/stream?run=0").status_code == 503
    finally:
        browser.site.streams = 0


def test_nothing_that_was_asked_before_keeps_the_server_from_answering(browser):
    assert browser.get("/").status_code == 200
    assert json.loads(browser.post("/new", {}).text)["error"].startswith("game=: accepted: ")
