import { institutions, type Institution } from '@causeway/bank-connectors';
import type { Environment } from '@causeway/contracts';

/** By name, then by identifier, compared by code point: the order of the cursor's key. */
const precedes = (a: readonly string[], b: readonly string[]): boolean => {
  const [nameA = '', idA = ''] = a;
  const [nameB = '', idB = ''] = b;
  return nameA === nameB ? idA < idB : nameA < nameB;
};

export const keyOfInstitution = ({ name, institutionId }: Institution): readonly string[] => [name, institutionId];

const domainOf = (portalUrl: string): string => new URL(portalUrl).hostname;

const searchable = (institution: Institution): readonly string[] => {
  const portals = [institution.canonicalPortalUrl, ...institution.additionalPortalUrls];
  const { name, alternativeNames, institutionId } = institution;
  return [name, ...alternativeNames, institutionId, ...portals, ...portals.map(domainOf)].map((text) =>
    text.toLowerCase(),
  );
};

/** A portal's address matches whatever the case of its host or a slash at its end; anything else as part of a word. */
const matches = (institution: Institution, query: string): boolean => {
  const wanted = query.trim().toLowerCase().replace(/\/+$/, '');
  return searchable(institution).some((text) => text.includes(wanted));
};

/** The institutions that an environment sees, in the order of the list, after a key. */
export const institutionsAfter = (
  environment: Environment,
  query: string | undefined,
  after: readonly string[] | undefined,
): readonly Institution[] =>
  institutions
    .filter((institution) => institution.environment === environment)
    .filter((institution) => query === undefined || matches(institution, query))
    .filter((institution) => after === undefined || precedes(after, keyOfInstitution(institution)))
    .toSorted((a, b) => (precedes(keyOfInstitution(a), keyOfInstitution(b)) ? -1 : 1));

export const institutionOf = (environment: Environment, institutionId: string): Institution | undefined =>
  institutions.find((candidate) => candidate.environment === environment && candidate.institutionId === institutionId);
