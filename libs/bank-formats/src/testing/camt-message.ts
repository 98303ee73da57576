/** Writes the camt messages of tests. */
export type Parts = Readonly<{
  entries?: string;
  account?: string;
  balances?: string;
  before?: string;
  header?: string;
}>;

export const iban = '<Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></Acct>';
export const balance = (type: string, amount: string, date = '2026-03-31', mark = 'CRDT'): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${mark}</CdtDbtInd>` +
  `<Dt><Dt>${date}</Dt></Dt></Bal>`;

export const statement = ({ entries = '', account = iban, balances = '', before = '<Id>S-1</Id>' }: Parts): string =>
  `<Stmt>${before}${account}${balances}${entries}</Stmt>`;

export const message = (parts: Parts, ...statements: readonly string[]): string =>
  `<?xml version="1.0"?><Document><BkToCstmrStmt><GrpHdr><MsgId>M</MsgId><CreDtTm>2026-04-01T05:00:00+02:00</CreDtTm>` +
  `${parts.header ?? ''}</GrpHdr>${[statement(parts), ...statements].join('')}</BkToCstmrStmt></Document>`;

export const posted = '<Sts>BOOK</Sts><BookgDt><Dt>2026-03-31</Dt></BookgDt><ValDt><Dt>2026-04-01</Dt></ValDt>';
export const credit = '<Amt Ccy="EUR">12.34</Amt><CdtDbtInd>CRDT</CdtDbtInd>';
export const debit = '<Amt Ccy="EUR">12.34</Amt><CdtDbtInd>DBIT</CdtDbtInd>';
export const details = (...each: readonly string[]): string =>
  `<NtryDtls>${each.map((detail) => `<TxDtls>${detail}</TxDtls>`).join('')}</NtryDtls>`;
