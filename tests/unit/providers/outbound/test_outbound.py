import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Iterable, Sequence

import httpcore2
import httpx2
import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.outbound.client import (
    GuardedNetwork,
    ReplyUnusable,
    check_destination,
    open_client,
    resolve_by_system,
)
from sourcebook.providers.outbound.destinations import (
    OPERATOR,
    STRANGER,
    DestinationRefused,
    Policy,
    UrlRefused,
    parse_allowed,
    parse_url,
    stranger_policy,
)
from tests.unit.providers.far_side import FarSide, Names, far_side, reply

PUBLIC = "93.184.215.14"

# Every one of these is this machine, or nothing; {port} is where the trap listens.
LOOPBACK_SPELLINGS = [
    "http://127.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://127.0.1:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.1:{port}/",
    "http://0x7f.0x0.0x0.0x1:{port}/",
    "http://0X7F.1:{port}/",
    "http://017700000001:{port}/",
    "http://0177.1:{port}/",
    "http://0177.0.1:{port}/",
    "http://00000177.1:{port}/",
    "http://127.0x1:{port}/",
    "http://127.0.0x1:{port}/",
    "http://127.00.1:{port}/",
    "http://127。0。0。1:{port}/",
    "http://127．0．0．1:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::FFFF:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[0:0:0:0:0:ffff:7f00:1]:{port}/",
    "http://localhost:{port}/",
    "http://LOCALHOST:{port}/",
    "http://localhost.:{port}/",
    "http://trap.example:{port}/",
    "http://TRAP.example.:{port}/",
    "http://mixed.example:{port}/",
    "HTTP://127.0.0.1:{port}/",
    "https://127.0.0.1:{port}/",
    "https://trap.example:{port}/",
    "http://127.0.0.1:{port}/?x=http://public.example",
    "http://127.0.0.1:{port}#@public.example/",
]
OTHER_SPELLINGS = [
    "http://127.0.0.1.:{port}/",
    "http://ｌｏｃａｌｈｏｓｔ:{port}/",
    "http://0:{port}/",
    "http://0.0.0.0:{port}/",
    "http://00.0.0:{port}/",
    "http://0x0:{port}/",
    "http://[::]:{port}/",
    "http://[::1]:{port}/",
    "http://[0000::1]:{port}/",
    "http://[0:0:0:0:0:0:0:1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[::ffff:0:127.0.0.1]:{port}/",
    "http://[64:ff9b::127.0.0.1]:{port}/",
    "http://[64:ff9b:1::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://[2001:0:7f00:1::]:{port}/",
    "http://[2001:0:5db8:d70e::80ff:fffe]:{port}/",
    "http://[::1%25lo]:{port}/",
    "http://[fe80::1%25lo]:{port}/",
    "http://[fe80::1]:{port}/",
    "http://[fd00:ec2::254]:{port}/",
    "http://[::ffff:169.254.169.254]:{port}/",
    "http://169.254.169.254:{port}/latest/meta-data/",
    "http://2852039166:{port}/",
    "http://0xa9fea9fe:{port}/",
    "http://169.254.43518:{port}/",
    "http://100.100.100.200:{port}/",
    "http://metadata.example:{port}/",
    "http://10.0.0.1:{port}/",
    "http://172.16.0.1:{port}/",
    "http://192.168.0.1:{port}/",
    "http://100.64.0.1:{port}/",
    "http://224.0.0.1:{port}/",
    "http://255.255.255.255:{port}/",
    "http://240.0.0.1:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://127.0.0.01:{port}/",
    "http://127.0.0.1%00:{port}/",
    "http://127.0.0.1%2f:{port}/",
    "http://%31%32%37.0.0.1:{port}/",
    "http://１２７.０.０.１:{port}/",
    "http://①②⑦.0.0.1:{port}/",
    "http://127.0.0.1\\@public.example:{port}/",
    "http://public.example\\@127.0.0.1:{port}/",
    "http://public.example@127.0.0.1:{port}/",
    "http://user:password@127.0.0.1:{port}/",
    "http://public.example:80@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}@nobody.example/",
    "http://127.0.0.1 :{port}/",
    "http://\t127.0.0.1:{port}/",
    "http:127.0.0.1:{port}/",
    "http:/127.0.0.1:{port}/",
    "http:///127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    "127.0.0.1:{port}",
    "file:///etc/passwd",
    "file://127.0.0.1:{port}/etc/passwd",
    "gopher://127.0.0.1:{port}/_GET%20/",
    "ftp://127.0.0.1:{port}/",
    "dict://127.0.0.1:{port}/",
    "ws://127.0.0.1:{port}/",
    "wss://127.0.0.1:{port}/",
    "unix:///var/run/docker.sock",
    "data:text/plain,hello",
    "jar:http://127.0.0.1:{port}!/",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1:-1/",
    "http://127.0.0.1:0/",
    "http://",
    "",
]
# Of the spellings of loopback those that only TLS would notice, or that no client takes.
NOT_HTTP = {"https://127.0.0.1:{port}/", "https://trap.example:{port}/"}
MANY_ANSWERS = {"http://mixed.example:{port}/"}


def names() -> Names:
    return Names(
        trap_example=[["127.0.0.1"]],
        localhost=[["127.0.0.1"]],
        mixed_example=[[PUBLIC, "127.0.0.1"]],
        metadata_example=[["169.254.169.254"]],
    )


@pytest.fixture
async def trap() -> AsyncIterator[FarSide]:
    async with far_side() as side:
        yield side


async def ask(url: str, policy: Policy, resolve: Names, timeout_s: float = 2.0) -> httpx2.Response:
    async with open_client(timeout_s=timeout_s, policy=policy, resolve=resolve) as client:
        return await client.get(url)


def test_there_are_many_spellings() -> None:
    assert len({*LOOPBACK_SPELLINGS, *OTHER_SPELLINGS}) >= 100


@pytest.mark.parametrize("spelling", [*LOOPBACK_SPELLINGS, *OTHER_SPELLINGS])
async def test_no_spelling_leads_a_stranger_to_this_machine(trap: FarSide, spelling: str) -> None:
    resolve = names()

    with pytest.raises((httpx2.ConnectError, httpx2.InvalidURL)):
        await ask(spelling.format(port=trap.port), STRANGER, resolve)

    assert trap.connections == 0
    assert len(resolve.asked) <= 1


@pytest.mark.parametrize(
    "spelling", [one for one in LOOPBACK_SPELLINGS if one not in NOT_HTTP | MANY_ANSWERS]
)
async def test_these_spellings_do_lead_to_this_machine(trap: FarSide, spelling: str) -> None:
    """The trap works: who may go there gets there, so that none above was refused by accident."""
    response = await ask(spelling.format(port=trap.port), OPERATOR, names())

    assert response.status_code == 200
    assert trap.connections == 1


@pytest.mark.parametrize(
    "host", ["169.254.169.254", "metadata.example", "[fe80::1]", "0.0.0.0", "[::ffff:169.254.1.1]"]
)
@pytest.mark.parametrize(
    "policy",
    [OPERATOR, stranger_policy(["169.254.0.0/16", "metadata.example", "::/0", "0.0.0.0/0"])],
)
async def test_metadata_services_are_refused_to_everybody(host: str, policy: Policy) -> None:
    with pytest.raises(DestinationRefused) as refused:
        await ask(f"http://{host}/", policy, names())

    assert "ALLOWED_PRIVATE_HOSTS" not in str(refused.value)


@pytest.mark.parametrize(
    "entry",
    ["127.0.0.1", "127.0.0.0/8", "127.0.0.1:{port}", "trap.example", "TRAP.example.:{port}"],
)
async def test_a_private_host_can_be_allowed(trap: FarSide, entry: str) -> None:
    policy = stranger_policy([entry.format(port=trap.port)])

    response = await ask(f"http://trap.example:{trap.port}/", policy, names())

    assert response.status_code == 200


@pytest.mark.parametrize("entry", ["127.0.0.1:1", "trap.example:1", "other.example", "10.0.0.0/8"])
async def test_what_is_allowed_is_no_more_than_was_said(trap: FarSide, entry: str) -> None:
    with pytest.raises(DestinationRefused, match="it is private"):
        await ask(f"http://trap.example:{trap.port}/", stranger_policy([entry]), names())

    assert trap.connections == 0


@pytest.mark.parametrize("entry", ["http://localhost", "a b", "localhost:99999", "[::1", "-"])
def test_an_entry_that_is_no_host_is_refused(entry: str) -> None:
    with pytest.raises(ConfigurationError, match="SOURCEBOOK_ALLOWED_PRIVATE_HOSTS"):
        parse_allowed(entry)


async def test_the_refusal_says_what_to_do_and_not_what_was_found(trap: FarSide) -> None:
    with pytest.raises(DestinationRefused) as refused:
        await ask(f"http://trap.example:{trap.port}/", STRANGER, names())

    assert str(refused.value) == (
        "Address 'trap.example' is not allowed: it is private."
        " Add the host to SOURCEBOOK_ALLOWED_PRIVATE_HOSTS if it is yours"
    )


async def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    network = FakeNetwork()

    with pytest.raises(DestinationRefused):
        await GuardedNetwork(STRANGER, names(), network).connect_tcp("mixed.example", 80, 1.0)

    assert network.connected == []


async def test_a_name_that_changes_its_address_after_the_check_gains_nothing() -> None:
    network = FakeNetwork()
    resolve = Names(rebinding_example=[[PUBLIC], ["127.0.0.1"]])

    await GuardedNetwork(STRANGER, resolve, network).connect_tcp("rebinding.example", 80, 1.0)

    assert resolve.asked == ["rebinding.example"]
    assert network.connected == [(PUBLIC, 80)]


async def test_a_name_that_changes_its_address_is_refused_from_then_on() -> None:
    network = FakeNetwork()
    resolve = Names(rebinding_example=[[PUBLIC], ["127.0.0.1"]])
    guarded = GuardedNetwork(STRANGER, resolve, network)
    await guarded.connect_tcp("rebinding.example", 80, 1.0)

    with pytest.raises(DestinationRefused):
        await guarded.connect_tcp("rebinding.example", 80, 1.0)

    assert network.connected == [(PUBLIC, 80)]


async def test_a_rebinding_name_reaches_only_what_was_checked(trap: FarSide) -> None:
    async with far_side(reply(body=b'"allowed"')) as allowed:
        resolve = Names(rebinding_example=[["127.0.0.1"], ["127.0.0.2"]])
        policy = stranger_policy([f"127.0.0.1:{allowed.port}"])

        response = await ask(f"http://rebinding.example:{allowed.port}/", policy, resolve)

    assert response.json() == "allowed"
    assert f"Host: rebinding.example:{allowed.port}".encode() in allowed.requests[0]
    assert resolve.asked == ["rebinding.example"]
    assert trap.connections == 0


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
async def test_redirects_are_not_followed(trap: FarSide, status: str) -> None:
    async with far_side(reply(status, b"", f"Location: {trap.url}/")) as allowed:
        policy = stranger_policy([f"127.0.0.1:{allowed.port}"])

        response = await ask(allowed.url, policy, names())

    assert 300 <= response.status_code < 400
    assert trap.connections == 0


async def test_proxies_and_credentials_of_the_environment_are_not_used(
    trap: FarSide, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, trap.url)
    async with far_side() as allowed:
        await ask(allowed.url, OPERATOR, names())

    assert trap.connections == 0
    assert b"authorization" not in allowed.requests[0].lower()


async def test_the_certificate_is_asked_for_by_the_name() -> None:
    network = FakeNetwork()
    guarded = GuardedNetwork(STRANGER, Names(public_example=[[PUBLIC]]), network)

    stream = await guarded.connect_tcp("public.example", 443, 1.0)
    pool = httpcore2.AsyncConnectionPool(network_backend=guarded)
    with pytest.raises(httpcore2.ConnectError):
        await pool.request("GET", "https://public.example/")

    assert isinstance(stream, FakeStream)
    assert network.connected == [(PUBLIC, 443), (PUBLIC, 443)]
    assert network.names == ["public.example"]


async def test_a_host_that_is_deaf_at_one_address_is_asked_at_the_next(trap: FarSide) -> None:
    resolve = Names(two_example=[["127.0.0.2", "127.0.0.1"]])

    response = await ask(f"http://two.example:{trap.port}/", OPERATOR, resolve)

    assert response.status_code == 200


async def test_a_reply_is_read_up_to_its_limit() -> None:
    async with far_side(reply(body=b"x" * 1_001)) as side:
        async with open_client(timeout_s=2.0, max_reply_bytes=1_001) as client:
            assert len((await client.get(side.url)).content) == 1_001
        async with open_client(timeout_s=2.0, max_reply_bytes=1_000) as client:
            with pytest.raises(ReplyUnusable, match="larger than 1,000 bytes"):
                await client.get(side.url)


async def test_a_compressed_reply_is_refused() -> None:
    bomb = gzip.compress(b"0" * 10_000_000)
    async with far_side(reply("200 OK", bomb, "Content-Encoding: gzip")) as side:
        with pytest.raises(ReplyUnusable, match="compressed"):
            await ask(side.url, OPERATOR, names())

    assert b"accept-encoding: identity" in side.requests[0].lower()


async def test_a_server_that_says_nothing_is_a_timeout() -> None:
    async def say_nothing(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)

    writers: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    with pytest.raises(httpx2.ReadTimeout):
        await ask(f"http://127.0.0.1:{port}/", OPERATOR, names(), timeout_s=0.05)

    for writer in writers:
        writer.close()
    server.close()


async def test_a_lookup_that_never_ends_is_a_timeout() -> None:
    async def never(host: str, port: int, timeout_s: float) -> Sequence[str]:
        async with asyncio.timeout(timeout_s):
            await asyncio.Event().wait()
        return []

    async with open_client(timeout_s=0.05, resolve=never) as client:
        with pytest.raises(httpx2.ConnectTimeout):
            await client.get("http://slow.example/")


async def test_a_host_that_does_not_exist_is_a_network_error() -> None:
    with pytest.raises(httpx2.ConnectError, match="was not found"):
        await ask("http://nobody.example/", OPERATOR, names())


async def test_the_system_knows_this_machine() -> None:
    found = await resolve_by_system("localhost", 80, 5.0)

    assert set(found) & {"127.0.0.1", "::1"}


async def test_a_name_that_cannot_be_one_is_not_found() -> None:
    with pytest.raises(OSError, match="not a host name"):
        await resolve_by_system("a" * 70 + ".example", 80, 5.0)


async def test_only_the_origins_of_a_policy_are_reached(trap: FarSide) -> None:
    policy = Policy(private=True, origins=frozenset({("http", "127.0.0.1", trap.port)}))

    assert (await ask(trap.url, policy, names())).status_code == 200
    for other in (f"https://127.0.0.1:{trap.port}", "http://127.0.0.1", "http://trap.example"):
        with pytest.raises(UrlRefused, match="only sent to the server that it belongs to"):
            await ask(other, policy, names())

    assert trap.connections == 1


@pytest.mark.parametrize("spelling", [*LOOPBACK_SPELLINGS, *OTHER_SPELLINGS])
async def test_a_url_for_another_client_is_refused_alike(trap: FarSide, spelling: str) -> None:
    with pytest.raises(httpx2.ConnectError):
        await check_destination(parse_url(spelling.format(port=trap.port)), STRANGER, names())

    assert trap.connections == 0


async def test_a_client_is_opened_as_before() -> None:
    async with (
        far_side() as side,
        open_client(timeout_s=2.0, headers={"Authorization": "Bearer key"}) as client,
    ):
        assert (await client.post(f"{side.url}/embed", json={"a": 1})).json() == {}

    assert b"Authorization: Bearer key" in side.requests[0]


class FakeNetwork(httpcore2.AsyncNetworkBackend):
    """Connects to nothing, and remembers where it should have."""

    def __init__(self) -> None:
        self.connected: list[tuple[str, int]] = []
        self.names: list[str | None] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore2's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        self.connected.append((host, port))
        return FakeStream(self)


class FakeStream(httpcore2.AsyncNetworkStream):
    """A connection over which nothing is ever said."""

    def __init__(self, network: FakeNetwork) -> None:
        self._network = network

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore2's
    ) -> httpcore2.AsyncNetworkStream:
        self._network.names.append(server_hostname)
        raise httpcore2.ConnectError("nobody is there")
