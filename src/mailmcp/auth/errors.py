"""Why a sign-in or a refresh failed; the caller turns it into a reply or a line on the terminal."""


class SignInError(Exception):
    """The provider did not issue a token. The message is for the user and holds no secret."""


class ConsentEndedError(SignInError):
    """The refresh token is no longer accepted: the user must sign in again."""


class ProviderUnavailableError(SignInError):
    """The provider could not be reached or is busy: the same request can succeed later."""
