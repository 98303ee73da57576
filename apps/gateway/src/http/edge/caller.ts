import type { Environment } from '@causeway/contracts';

/** Who asks: what the credential says. */
export type Caller = Readonly<{
  organization: string;
  environment: Environment;
  keyId: string;
  scopes: readonly string[];
}>;

/** Whose resources the caller sees. */
export const ownerOf = ({ organization, environment }: Caller) => ({ organization, environment });
