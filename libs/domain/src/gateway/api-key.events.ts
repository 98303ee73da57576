/** What a key was issued with. `secretHash`: keyed, in hex; the secret itself is nowhere. Times are UTC. */
export type IssuedApiKey = Readonly<{
  organization: string;
  environment: 'live' | 'test';
  scopes: readonly string[];
  secretHash: string;
  /** CIDR ranges that callers must be in; empty: any address. */
  allowedIps: readonly string[];
  issuedAt: string;
  expiresAt: string;
}>;

/**
 * What can have happened to an API key. These names and shapes are on disk for good: add a case, or a V2 beside a case;
 * never change one.
 */
export type ApiKeyEvent =
  | Readonly<{ type: 'ApiKeyIssued'; data: IssuedApiKey }>
  | Readonly<{ type: 'ApiKeyRevoked'; data: Readonly<{ revokedAt: string }> }>;
