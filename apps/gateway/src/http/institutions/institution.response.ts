import type { Institution } from '@causeway/bank-connectors';

export const institutionResponse = (institution: Institution): object => ({
  institutionId: institution.institutionId,
  name: institution.name,
  canonicalPortalUrl: institution.canonicalPortalUrl,
  additionalPortalUrls: institution.additionalPortalUrls,
  setupGuideUrl: institution.setupGuideUrl,
  status: institution.status,
  alternativeNames: institution.alternativeNames,
  ...(institution.logoUrl === null ? {} : { logoUrl: institution.logoUrl }),
});
