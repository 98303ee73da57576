/** An institution that connections can be made to. */
export type Institution = Readonly<{
  institutionId: string;
  name: string;
  canonicalPortalUrl: string;
  additionalPortalUrls: readonly string[];
  setupGuideUrl: string;
  /** `pending`: coming soon; a connection to it stays a draft. */
  status: 'live' | 'pending';
  alternativeNames: readonly string[];
  logoUrl: string | null;
  environment: 'test' | 'live';
  /** The name of the connector that talks to it; null while there is none. */
  connector: 'sandbox' | 'sandbox-delegated' | 'statement-files' | null;
}>;

/** Portals of the sandbox are under a name that no one can register (RFC 2606). */
const sandboxInstitution = (
  word: string,
  rest: Pick<Institution, 'name' | 'alternativeNames' | 'connector'>,
): Institution => ({
  institutionId: `sandbox-${word}`,
  canonicalPortalUrl: `https://${word}.sandbox-bank.example`,
  additionalPortalUrls: [`https://${word}.sandbox-bank.example/login`],
  setupGuideUrl: `https://sandbox-bank.example/guides/${word}`,
  status: rest.connector === null ? 'pending' : 'live',
  logoUrl: null,
  environment: 'test',
  ...rest,
});

export const institutions: readonly Institution[] = [
  sandboxInstitution('instant', {
    name: 'Sandbox Instant Bank',
    alternativeNames: ['Instant Bank', 'SIB'],
    connector: 'sandbox',
  }),
  sandboxInstitution('delegated', {
    name: 'Sandbox Delegated Bank',
    alternativeNames: ['Delegated Bank', 'SDB'],
    connector: 'sandbox-delegated',
  }),
  sandboxInstitution('slow', { name: 'Sandbox Slow Bank', alternativeNames: ['Slow Bank'], connector: 'sandbox' }),
  sandboxInstitution('large', { name: 'Sandbox Large Bank', alternativeNames: ['Large Bank'], connector: 'sandbox' }),
  sandboxInstitution('files', {
    name: 'Sandbox Files Bank',
    alternativeNames: ['Files Bank', 'Statement Files'],
    connector: 'statement-files',
  }),
  sandboxInstitution('soon', { name: 'Sandbox Soon Bank', alternativeNames: ['Coming Soon Bank'], connector: null }),
];

const byId: ReadonlyMap<string, Institution> = new Map(
  institutions.map((institution) => [institution.institutionId, institution]),
);

const byPortalUrl: ReadonlyMap<string, Institution> = new Map(
  institutions.flatMap((institution) =>
    [institution.canonicalPortalUrl, ...institution.additionalPortalUrls].map((url) => [url, institution] as const),
  ),
);

export const institutionById = (institutionId: string): Institution | undefined => byId.get(institutionId);

/** `portalUrl` is normalized: lower-case host, no default port, fragment or trailing slash. */
export const institutionByPortalUrl = (portalUrl: string): Institution | undefined => byPortalUrl.get(portalUrl);
