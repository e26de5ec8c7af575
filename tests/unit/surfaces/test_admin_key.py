"""Behind a proxy that is known, one who guesses the admin key locks out nobody else."""

import httpx2

from sourcebook.service.http.app import create_app
from sourcebook.surfaces.admin_key import AccessRule
from sourcebook.surfaces.rate_limits import ClientAddresses, RateLimits
from sourcebook.surfaces.use_cases import UseCases

KEY = "a-long-enough-admin-key"
PROXY = "192.0.2.1"


async def test_a_guesser_behind_a_proxy_locks_out_nobody_else(use_cases: UseCases) -> None:
    rules = RateLimits(clients=ClientAddresses([PROXY]))
    app = create_app(
        use_cases, AccessRule(None), [], admin=AccessRule(KEY.encode()), rate_limits=rules
    )
    transport = httpx2.ASGITransport(app=app, client=(PROXY, 50_000))

    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:

        async def ask(caller: str, key: str) -> int:
            headers = {"X-Forwarded-For": caller, "X-API-Key": key}
            return (await client.get("/ingestion/status", headers=headers)).status_code

        guesses = [await ask("203.0.113.1", f"guess-{n}") for n in range(6)]
        assert guesses == [401, 401, 401, 401, 401, 429]
        assert await ask("203.0.113.2", KEY) == 200
