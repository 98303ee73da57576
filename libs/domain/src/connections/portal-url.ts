/**
 * The one spelling of a portal's address: https, host in lower case, no default port, fragment or trailing slash.
 * `undefined`: not an address that a connection may have; one with user info is none, since it may be a login.
 */
export const normalizedPortalUrl = (text: string): string | undefined => {
  if (text.length > portalUrlLengthMax || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:' || url.hostname === '' || url.username !== '' || url.password !== '') return undefined;
  return `https://${url.host}${url.pathname.replace(/\/+$/, '')}${url.search}`;
};

/** What browsers and proxies still carry. */
const portalUrlLengthMax = 2048;
