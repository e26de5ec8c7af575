"""What robots.txt allows, how fast, and which sitemaps it names."""

from dataclasses import dataclass

from protego import Protego

USER_AGENT = "Sourcebook"
# More than this need not be read of one, says RFC 9309.
MAX_ROBOTS_BYTES = 512 * 1024
MAX_CRAWL_DELAY_S = 60.0


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of a site for this crawler."""

    rules: Protego

    @staticmethod
    def read(content: bytes) -> "Robots":
        """Parse what the site sent; nothing allows everything."""
        text = content[:MAX_ROBOTS_BYTES].decode("utf-8", "replace")
        return Robots(Protego.parse(text))

    def allows(self, address: str) -> bool:
        return bool(self.rules.can_fetch(address, USER_AGENT))

    @property
    def delay_s(self) -> float:
        """The seconds that the site wants between two requests; 0 if it does not say."""
        delay = self.rules.crawl_delay(USER_AGENT) or 0.0
        rate = self.rules.request_rate(USER_AGENT)
        wanted = max(float(delay), rate.seconds / rate.requests if rate else 0.0)
        return min(wanted, MAX_CRAWL_DELAY_S)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        return tuple(self.rules.sitemaps)
