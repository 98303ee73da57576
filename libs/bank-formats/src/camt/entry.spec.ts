import { read } from '../testing/reading.ts';
import { balance, credit, debit, details, message, posted, type Parts } from '../testing/camt-message.ts';

const entryOf = async (content: string, parts: Parts = {}) => {
  const { entries, refusal } = await read(message({ ...parts, entries: `<Ntry>${content}</Ntry>` }));
  expect(refusal).toBeNull();
  expect(entries).toHaveLength(1);
  return entries[0]!;
};

describe('an entry', () => {
  test.each([
    ['<Sts>BOOK</Sts>', 'posted'],
    ['<Sts><Cd>BOOK</Cd></Sts>', 'posted'],
    ['<Sts><Cd>PDNG</Cd></Sts>', 'pending'],
    ['<Sts>INFO</Sts>', 'information'],
    ['<Sts><Cd>FUTR</Cd></Sts>', 'future'],
  ])('%s is %s', async (status, expected) => {
    const entry = await entryOf(`${credit}${status}<BookgDt><Dt>2026-03-31</Dt></BookgDt>`);
    expect(entry.status).toBe(expected);
    expect(entry.content.postedDate).toBe(expected === 'posted' ? '2026-03-31' : null);
  });

  test.each([
    ['<Dt>2026-03-31</Dt>', '2026-03-31'],
    ['<DtTm>2026-03-31T23:59:59-05:00</DtTm>', '2026-03-31'],
    ['<DtTm>2026-03-31T00:00:00.000000000</DtTm>', '2026-03-31'],
    ['<Dt>2026-03-31+01:00</Dt>', '2026-03-31'],
    ['<Dt>2026-02-30</Dt>', '2026-02-28'],
  ])('booked on %s is booked on %s', async (date, expected) => {
    const entry = await entryOf(`${credit}<Sts>BOOK</Sts><BookgDt>${date}</BookgDt>`);
    expect([entry.day, entry.content.postedDate]).toEqual([expected, expected]);
  });

  test('booked without a date is booked on the day of its statement', async () => {
    const { day, content } = await entryOf(`${credit}<Sts>BOOK</Sts>`, {
      balances: balance('CLBD', '1', '2026-03-30'),
    });
    expect([day, content.postedDate]).toEqual(['2026-03-30', '2026-03-30']);
  });

  test('still pending counts under the day of its report, not under its value date', async () => {
    const content = `${credit}<Sts>PDNG</Sts><ValDt><Dt>2026-04-02</Dt></ValDt>`;
    const { day, valueDate } = await entryOf(content, { balances: balance('ITBD', '1') });
    expect({ day, valueDate }).toEqual({ day: '2026-03-31', valueDate: '2026-04-02' });
  });

  test.each([
    [credit, '12.34'],
    [debit, '-12.34'],
    ['<Amt Ccy="JPY">500</Amt><CdtDbtInd>DBIT</CdtDbtInd>', '-500'],
    ['<Amt Ccy="EUR">+012.500</Amt><CdtDbtInd>CRDT</CdtDbtInd>', '12.500'],
    ['<Amt Ccy="EUR">.5</Amt><CdtDbtInd>CRDT</CdtDbtInd>', '0.5'],
    ['<Amt Ccy="EUR">0.1234567890123</Amt><CdtDbtInd>CRDT</CdtDbtInd>', '0.1234567890123'],
    ['<Amt Ccy="EUR">0.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>', '0.00'],
    [`${debit}<RvslInd>true</RvslInd>`, '-12.34'],
  ])('%s moves %s', async (money, amount) => expect((await entryOf(money + posted)).content.amount).toBe(amount));

  test('keeps its own currency, and an entry in another than its account’s is told', async () => {
    const entries = `<Ntry><Amt Ccy="CHF">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>${posted}</Ntry>`;
    const file = await read(message({ entries, balances: balance('OPBD', '5.00') + balance('CLBD', '5.00') }));
    expect(file.entries[0]?.content.currency).toBe('CHF');
    expect(file.anomalies).toEqual(['account DE02120300000000202051 EUR: an entry of 1.00 CHF']);
  });

  test.each([
    ['<AcctSvcrRef>SVC-1</AcctSvcrRef>', 'SVC-1'],
    [details('<Refs><AcctSvcrRef>SVC-2</AcctSvcrRef></Refs>'), 'SVC-2'],
    [`<AcctSvcrRef>NONREF</AcctSvcrRef>${details('<Refs><AcctSvcrRef>SVC-3</AcctSvcrRef></Refs>')}`, 'SVC-3'],
    [details('<Refs><AcctSvcrRef>A</AcctSvcrRef></Refs>', '<Refs><AcctSvcrRef>B</AcctSvcrRef></Refs>'), null],
    ['<AcctSvcrRef>0000</AcctSvcrRef>', null],
    ['<NtryRef>7</NtryRef>', null],
  ])('%s has the bank reference %j', async (references, expected) => {
    const { bankId, content } = await entryOf(credit + posted + references);
    expect([bankId, content.bankReference]).toEqual([expected, expected]);
  });

  test.each([
    ['<Refs><EndToEndId>E-1</EndToEndId></Refs>', 'E-1'],
    ['<Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>', null],
    ['<RmtInf><Strd><CdtrRefInf><Ref>RF18</Ref></CdtrRefInf></Strd></RmtInf>', 'RF18'],
  ])('%s has the customer reference %j', async (detail, expected) => {
    expect((await entryOf(credit + posted + details(detail))).content.customerReference).toBe(expected);
  });

  test.each([
    [details('<RmtInf><Ustrd>A  b</Ustrd><Ustrd>c</Ustrd></RmtInf>'), 'A b c', 'A  b\nc'],
    [details('<AddtlTxInf>T</AddtlTxInf>'), 'T', 'T'],
    ['<AddtlNtryInf>N</AddtlNtryInf>', 'N', 'N'],
    ['', '', null],
    [details('<RmtInf><Ustrd><![CDATA[<A&B>]]> &amp; C</Ustrd></RmtInf>'), '<A&B> & C', '<A&B> & C'],
  ])('%s is described as %j', async (content, description, rawDescription) => {
    expect((await entryOf(credit + posted + content)).content).toMatchObject({ description, rawDescription });
  });

  const parties =
    '<RltdPties><Dbtr><Nm>Payer</Nm></Dbtr><DbtrAcct><Id><IBAN>AT61 1904</IBAN></Id></DbtrAcct>' +
    '<Cdtr><Pty><Nm>Payee</Nm></Pty></Cdtr><CdtrAcct><Id><Othr><Id>12345678</Id></Othr></Id></CdtrAcct></RltdPties>';

  test.each([
    [credit, 'Payer', '1904'],
    [debit, 'Payee', '5678'],
  ])('%s has the other side %s', async (money, counterpartyName, counterpartyAccountEnd) => {
    const { content } = await entryOf(money + posted + details(parties));
    expect(content).toMatchObject({ counterpartyName, counterpartyAccountEnd });
  });

  test('of a batch is one row, with the names its details agree on', async () => {
    const detail = (name: string) =>
      `<RltdPties><Dbtr><Nm>${name}</Nm></Dbtr></RltdPties><RmtInf><Ustrd>x</Ustrd></RmtInf>`;
    const differing = await entryOf(credit + posted + details(detail('A'), detail('B')));
    const agreed = await entryOf(credit + posted + details(detail('A'), detail('A')));
    expect([differing.content.counterpartyName, agreed.content.counterpartyName]).toEqual([null, 'A']);
    expect(differing.content.description).toBe('x x');
  });

  const domain = (code: string, family: string, sub: string): string =>
    `<BkTxCd><Domn><Cd>${code}</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${sub}</SubFmlyCd></Fmly></Domn></BkTxCd>`;
  const proprietary = (code: string, issuer = 'DK'): string =>
    `<BkTxCd><Prtry><Cd>${code}</Cd><Issr>${issuer}</Issr></Prtry></BkTxCd>`;

  test.each([
    [domain('PMNT', 'RCDT', 'ESCT'), 'sepaCredit', 'PMNT-RCDT-ESCT'],
    [domain('PMNT', 'ICDT', 'XBCT'), 'swift', 'PMNT-ICDT-XBCT'],
    [domain('PMNT', 'RDDT', 'BBDD'), 'sepaDebit', 'PMNT-RDDT-BBDD'],
    [domain('PMNT', 'RRCT', 'ESCT'), 'sepaCredit', 'PMNT-RRCT-ESCT'],
    [domain('PMNT', 'CCRD', 'POSD'), 'card', 'PMNT-CCRD-POSD'],
    [domain('PMNT', 'RCHQ', 'OTHR'), 'check', 'PMNT-RCHQ-OTHR'],
    [domain('PMNT', 'CNTR', 'CDPT'), 'cash', 'PMNT-CNTR-CDPT'],
    [domain('ACMT', 'MDOP', 'CHRG'), 'other', 'ACMT-MDOP-CHRG'],
    [domain('PMNT', 'RCDT', 'DMCT'), 'unknown', 'PMNT-RCDT-DMCT'],
    [proprietary('NTRF+166+9248'), 'sepaCredit', 'NTRF+166+9248'],
    [proprietary('NDDT+105'), 'sepaDebit', 'NDDT+105'],
    ['<BkTxCd/>', 'unknown', null],
  ])('%s went by %s', async (code, rail, typeCode) => {
    const entry = await entryOf(credit + posted + code);
    expect([entry.content.rail, entry.typeCode, entry.content.baiCode]).toEqual([rail, typeCode, null]);
  });

  test('has a BAI code where BAI issued its code', async () => {
    expect((await entryOf(credit + posted + proprietary('195', 'BAI'))).content.baiCode).toBe('195');
  });

  test.each([
    [`<CdtDbtInd>CRDT</CdtDbtInd>${posted}`, 'the amount of an entry is unreadable'],
    [`<Amt Ccy="EUR">1,00</Amt><CdtDbtInd>CRDT</CdtDbtInd>${posted}`, 'the amount of an entry is unreadable'],
    [`<Amt Ccy="EUR">-1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>${posted}`, 'the amount of an entry is unreadable'],
    [`<Amt Ccy="EUR">1.00</Amt>${posted}`, 'the amount of an entry is unreadable'],
    [`${credit}<Sts>XXXX</Sts>`, 'unknown status XXXX of an entry'],
    [credit, 'unknown status (none) of an entry'],
  ])('%s is left out and told', async (content, problem) => {
    const { entries, anomalies, refusal } = await read(message({ entries: `<Ntry>${content}</Ntry>` }));
    expect({ entries, refusal }).toEqual({ entries: [], refusal: null });
    expect(anomalies).toEqual([`line 1: ${problem}`]);
  });
});
