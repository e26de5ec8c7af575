"""Opens websites as sources of books, with the options of the settings or of a request."""

from dataclasses import dataclass, replace
from pathlib import Path

from sourcebook.core.book_source import BookSource
from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.outbound.destinations import Policy, stranger_policy
from sourcebook.providers.sources.website.options import SiteOptions, read_site
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings

INSTALL = "pip install 'sourcebook[documents]'"


@dataclass(frozen=True, slots=True)
class Websites:
    """Opens websites. Private addresses are reached only if the settings allow their hosts."""

    defaults: SiteOptions
    policy: Policy
    cache_dir: Path

    @staticmethod
    def of(settings: Settings, folder: DataFolder) -> "Websites":
        """Read the settings; ConfigurationError."""
        defaults = SiteOptions(
            include=settings.site_include,
            exclude=settings.book_exclude,
            selector=settings.site_selector,
            discovery=settings.site_discovery,
            max_depth=settings.site_max_depth,
            max_pages=settings.site_max_pages,
            requests_per_s=settings.site_requests_per_s,
            pdfs=settings.site_pdfs,
        )
        # Links and redirects are chosen by others, whoever chose the site.
        policy = stranger_policy(settings.allowed_private_hosts)
        return Websites(defaults, policy, folder.sites)

    def source(
        self, address: str, book_id: str, exclude: tuple[str, ...] | None = None
    ) -> BookSource:
        """Return the site as the source of a book; InvalidInput or ConfigurationError.

        Each book has a cache of its own: another one may have other pages of the same site.
        """
        try:
            # Needs libraries that a folder does not.
            from sourcebook.providers.sources.website.source import WebsiteSource  # noqa: PLC0415
        except ImportError as error:
            raise ConfigurationError(
                f"To read websites, install the software for it: {INSTALL}"
            ) from error
        url, options = read_site(address, self.defaults)
        if exclude is not None:
            options = replace(options, exclude=exclude)
        return WebsiteSource(url, options, self.policy, self.cache_dir / book_id)
