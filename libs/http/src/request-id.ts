/** 1 to 128 visible ASCII characters. */
const acceptable = /^[\x21-\x7e]{1,128}$/;

/** The caller's own id of the request, where it sent one that can be carried through headers and logs unchanged. */
export const acceptedRequestId = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && acceptable.test(header) ? header : undefined;
