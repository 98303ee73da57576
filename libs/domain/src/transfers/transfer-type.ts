/** The rail that is asked for; `internal` between accounts of one connection. */
export type TransferType = 'internal' | 'ach' | 'wire' | 'swift' | 'fednow' | 'rtp' | 'sepa' | 'local';
