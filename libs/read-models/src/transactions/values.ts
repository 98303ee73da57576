export const transactionStatuses = ['pending', 'posted', 'reversed', 'cancelled', 'unknown'] as const;

export const transactionRails = [
  'internalTransfer',
  'card',
  'ach',
  'pix',
  'caEft',
  'auNpp',
  'auBecsDirectEntry',
  'auRtgs',
  'sepaCredit',
  'sepaDebit',
  'bacsDirectDebit',
  'wire',
  'swift',
  'fasterPayments',
  'check',
  'cash',
  'crypto',
  'other',
  'unknown',
] as const;
