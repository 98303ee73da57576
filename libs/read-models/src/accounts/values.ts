export const accountTypes = [
  'checking',
  'savings',
  'moneyMarket',
  'creditCard',
  'loan',
  'investment',
  'wallet',
  'other',
  'unknown',
] as const;
export const accountStatuses = ['open', 'closed', 'unknown'] as const;
