/**
 * The one spelling of a portal's address: https, host in lower case, no default port, fragment, user info or trailing
 * slash. `undefined`: not an address that a connection may have.
 */
export const normalizedPortalUrl = (text: string): string | undefined => {
  if (text.length > portalUrlLengthMax || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:' || url.hostname === '') return undefined;
  return `https://${url.host}${url.pathname.replace(/\/+$/, '')}${url.search}`;
};

/** What browsers and proxies still carry. */
const portalUrlLengthMax = 2048;
