import { institutionById, institutionByPortalUrl, type Institution } from '@causeway/bank-connectors';
import type { CreateConnectionV1 } from '@causeway/contracts';
import { normalizedPortalUrl, type Portal } from '@causeway/domain/connections';
import type { Problem } from '@causeway/messaging';
import { invalid } from './problems.ts';

/** `connector` null: nothing can log in there yet. */
export type Destination = Readonly<{ portal: Portal; connector: string | null }>;

type Asked = Pick<CreateConnectionV1, 'environment' | 'institutionId' | 'portalUrl'>;
type Found<T> = Readonly<{ found: T }> | Readonly<{ problem: Problem }>;

/** Where a connection is to lead. A portal that no institution matches is a destination, too: a draft. */
export const destinationOf = ({ environment, institutionId, portalUrl: written }: Asked): Found<Destination> => {
  const portalUrl = written === null ? null : normalizedPortalUrl(written);
  if (portalUrl === undefined) return { problem: invalid('portalUrl', 'must be an https address without user info') };
  const seen = (found: Institution | undefined) => (found?.environment === environment ? found : undefined);

  if (institutionId === null) {
    const matched = portalUrl === null ? undefined : seen(institutionByPortalUrl(portalUrl));
    return { found: matched === undefined ? unmatched(portalUrl) : at(matched, portalUrl) };
  }
  const institution = seen(institutionById(institutionId));
  if (institution === undefined) return { problem: invalid('institutionId', 'names no institution') };
  const { canonicalPortalUrl, additionalPortalUrls } = institution;
  const itsPortals = [canonicalPortalUrl, ...additionalPortalUrls].map(normalizedPortalUrl);
  if (portalUrl !== null && !itsPortals.includes(portalUrl)) {
    return { problem: invalid('portalUrl', 'is not a portal of this institution') };
  }
  return { found: at(institution, portalUrl) };
};

const at = ({ institutionId, name, canonicalPortalUrl, connector }: Institution, portalUrl: string | null) => ({
  portal: { institutionId, institutionName: name, portalUrl: portalUrl ?? canonicalPortalUrl },
  connector,
});

const unmatched = (portalUrl: string | null): Destination => ({
  portal: { institutionId: null, institutionName: null, portalUrl },
  connector: null,
});
