import { fixture, read } from '../testing/reading.ts';
import { balance, credit, details, message, posted, statement, type Parts } from '../testing/camt-message.ts';

describe('a record', () => {
  test('is the entry as it stood in the file', async () => {
    const entry = `<n:Ntry  a='1'>\r\n<!-- note --><n:Amt Ccy="EUR">1.00</n:Amt><n:CdtDbtInd>CRDT</n:CdtDbtInd><n:Sts>INFO</n:Sts></n:Ntry\n>`;
    expect((await read(message({ entries: entry }))).records).toEqual([entry]);
  });

  test('of a large batch keeps the first details and what follows them', async () => {
    const detail = `<Refs><EndToEndId>E</EndToEndId></Refs><RmtInf><Ustrd>${'x'.repeat(900)}</Ustrd></RmtInf>`;
    const batch = `${credit}${posted}${details(...Array.from({ length: 1000 }, () => detail))}<AddtlNtryInf>end</AddtlNtryInf>`;
    const { records, refusal } = await read(message({ entries: `<Ntry>${batch}</Ntry>` }));
    expect(refusal).toBeNull();
    expect(records[0]!.length).toBeLessThan(40_000);
    expect(records[0]).toMatch(/^<Ntry>.*<\/TxDtls><\/NtryDtls><AddtlNtryInf>end<\/AddtlNtryInf><\/Ntry>$/s);
  });
});

describe('balances', () => {
  const figuresOf = async (balances: string, header?: string) => {
    const file = await read(message(header === undefined ? { balances } : { balances, header }));
    return { ...file.statements[0]!, anomalies: file.anomalies };
  };

  test.each([
    ['CLBD', { closing: '1.00', date: '2026-03-31', current: '1.00' }],
    ['ITBD', { closing: null, date: null, current: '1.00' }],
    ['CLAV', { closing: null, available: '1.00' }],
    ['FWAV', { closing: null, available: null }],
    ['OPBD', { opening: '1.00', closing: null }],
    ['PRCD', { opening: '1.00', closing: null }],
  ])('%s', async (type, expected) => expect(await figuresOf(balance(type, '1.00'))).toMatchObject(expected));

  test('in debit are negative', async () => {
    expect(await figuresOf(balance('CLBD', '1.00', '2026-03-31', 'DBIT'))).toMatchObject({ closing: '-1.00' });
  });

  test('of yesterday’s closing open the day only when nothing else does', async () => {
    const both = balance('PRCD', '2.00', '2026-03-30') + balance('OPBD', '1.00');
    expect(await figuresOf(both)).toMatchObject({ opening: '1.00' });
  });

  test('that cannot be read are told', async () => {
    expect((await figuresOf(balance('CLBD', '1,00'))).anomalies).toEqual(['line 1: a balance is unreadable']);
  });

  test('are checked once the last page is there', async () => {
    const page = (number: number, isLast: boolean) =>
      `<MsgPgntn><PgNb>${number}</PgNb><LastPgInd>${isLast}</LastPgInd></MsgPgntn>`;
    const differing = balance('OPBD', '1.00') + balance('CLBD', '2.00');
    const first = await figuresOf(differing, page(1, false));
    expect([first.anomalies, first.report.covers]).toEqual([[], null]);
    expect((await figuresOf(differing, page(1, true))).anomalies).toHaveLength(1);
  });

  test('of the pages of one statement are one', async () => {
    const entries = `<Ntry>${credit}${posted}</Ntry>`;
    const second = statement({ entries, balances: balance('CLBD', '25.68') });
    const { statements, anomalies } = await read(message({ entries, balances: balance('OPBD', '1.00') }, second));
    expect(statements).toHaveLength(1);
    expect(statements[0]).toMatchObject({ transactions: 2, sum: '24.68', opening: '1.00', closing: '25.68' });
    // 1.00 and twice 12.34 make 25.68: checked over both pages, and right.
    expect(anomalies).toEqual([]);
  });
});

describe('a statement', () => {
  const headOf = async (parts: Parts) => (await read(message(parts))).statements[0]!;
  const period = (from: string, to: string) =>
    `<Id>S</Id><FrToDt><FrDtTm>${from}</FrDtTm><ToDtTm>${to}</ToDtTm></FrToDt>`;
  const closing = balance('CLBD', '1.00');

  test.each([
    ['the day of its closing balance', '<Id>S</Id>', { from: '2026-03-31', to: '2026-03-31' }],
    ['its period', period('2026-03-01T00:00:00', '2026-03-31T23:59:59'), { from: '2026-03-01', to: '2026-03-31' }],
    [
      'a period up to midnight',
      period('2026-03-31T00:00:00', '2026-04-01T00:00:00'),
      { from: '2026-03-31', to: '2026-03-31' },
    ],
    [
      'no period that ends elsewhere',
      period('2007-10-18T08:00:00', '2007-10-18T12:30:00'),
      { from: '2026-03-31', to: '2026-03-31' },
    ],
  ])('covers %s', async (_, before, covers) => {
    expect((await headOf({ before, balances: closing })).report).toMatchObject({ day: '2026-03-31', covers });
  });

  test('without a closing balance covers nothing', async () => {
    expect((await headOf({ balances: balance('PRCD', '1.00') })).report.covers).toBeNull();
  });

  test.each([
    [
      '<Acct><Id><IBAN>DE02 1203</IBAN></Id><Ccy>EUR</Ccy><Svcr><FinInstnId><BIC>TESTDEFF</BIC></FinInstnId></Svcr></Acct>',
      '',
      'DE021203',
    ],
    [
      '<Acct><Id><Othr><Id>4711</Id></Othr></Id><Svcr><FinInstnId><BICFI>TESTDEFF</BICFI></FinInstnId></Svcr></Acct>',
      'TESTDEFF',
      '4711',
    ],
    [
      '<Acct><Id><Othr><Id>4711</Id></Othr></Id><Svcr><FinInstnId><ClrSysMmbId><MmbId>99</MmbId></ClrSysMmbId></FinInstnId></Svcr></Acct>',
      '99',
      '4711',
    ],
    ['<Acct><Id><Othr><Id>4711</Id></Othr></Id></Acct>', '', '4711'],
  ])('%s is at %j, number %s', async (account, bank, number) => {
    expect((await headOf({ account, balances: closing })).account).toMatchObject({ bank, number, currency: 'EUR' });
  });

  test('takes its currency from an entry when nothing before says it', async () => {
    const account = '<Acct><Id><IBAN>DE02</IBAN></Id></Acct>';
    expect((await headOf({ account, entries: `<Ntry>${credit}${posted}</Ntry>` })).account.currency).toBe('EUR');
    expect((await headOf({ account })).account.currency).toBeNull();
  });

  test('is found in an envelope, under any prefix, in any version', async () => {
    const wrapped = message({ balances: closing })
      .replace('<?xml version="1.0"?>', '')
      .replaceAll(/<(\/?)(?=[A-Z])/g, '<$1x:')
      .replace('<x:Document>', '<x:Document xmlns:x="urn:six-interbank-clearing:camt.053.001.99">');
    const { format, statements } = await read(`<Envelope><AppHdr><Id>Stmt</Id></AppHdr>${wrapped}</Envelope>`);
    expect([format, statements.length, statements[0]?.closing]).toEqual(['camt.053', 1, '1.00']);
  });
});

describe('camt.054', () => {
  test('is read and not booked: a statement books what it tells', async () => {
    const text = message({ entries: `<Ntry>${credit}${posted}</Ntry>` })
      .replaceAll('BkToCstmrStmt', 'BkToCstmrDbtCdtNtfctn')
      .replaceAll('Stmt>', 'Ntfctn>');
    const { format, statements } = await read(text);
    expect([format, statements[0]?.transactions, statements[0]?.report.ignored]).toEqual([
      'camt.054',
      1,
      'notification',
    ]);
  });
});

describe('encodings', () => {
  test.each(['synth-053-latin1.xml', 'synth-053-utf16.xml', 'synth-053-prefixed.xml'])('%s', async (name) => {
    const { entries, refusal } = await read(fixture(name));
    expect(refusal).toBeNull();
    expect(entries[0]?.content).toMatchObject({ amount: '12.34', counterpartyName: 'Jürgen Größer - Café' });
  });

  test('show in the bytes: a declared UTF-16 that was converted on its way is UTF-8', async () => {
    const text = message({ entries: `<Ntry>${credit}${posted}<AddtlNtryInf>ü</AddtlNtryInf></Ntry>` });
    const { entries } = await read(text.replace('version="1.0"', 'version="1.0" encoding="UTF-16"'));
    expect(entries[0]?.content.description).toBe('ü');
  });

  test('that are declared and not kept are refused', async () => {
    const text = message({ entries: `<Ntry>${credit}${posted}<AddtlNtryInf>\u00fc</AddtlNtryInf></Ntry>` });
    expect((await read(Buffer.from(text, 'latin1'))).refusal).toEqual({ reason: 'the bytes are not utf-8', offset: 0 });
  });

  test('that nobody knows are refused', async () => {
    const text = message({}).replace('version="1.0"', 'version="1.0" encoding="EBCDIC-CP-US"');
    expect((await read(text)).refusal).toEqual({ reason: 'the encoding EBCDIC-CP-US is not supported', offset: 0 });
  });
});

describe('a file that cannot be booked says where it broke', () => {
  const whole = message({ entries: `\n<Ntry>${credit}${posted}</Ntry>\n` });
  test.each([
    ['with a DOCTYPE', fixture('synth-053-hostile-doctype.xml'), 'a DOCTYPE is not allowed', 2],
    ['cut off', fixture('synth-053-truncated.xml'), 'the XML is broken: unclosed tag: Domn (inside Domn)', 8],
    ['with an undefined entity', whole.replace('12.34', '&x;'), 'the XML is broken: undefined entity. (inside Amt)', 2],
    [
      'with crossed tags',
      whole.replace('</Amt>', '</Amd>'),
      'the XML is broken: unexpected close tag. (inside Ntry)',
      2,
    ],
    ['without a statement', message({}).replace(/<Stmt>.*<\/Stmt>/, ''), 'the message holds no statement', 1],
    ['without an account', message({ account: '' }), 'a statement names no account that could be one', 1],
    ['of another kind', '<Document><CstmrPmtStsRpt/></Document>', 'format pain.002 is not supported', 1],
    ['of no kind', '<html><body/></html>', 'no statement, report or notification of camt in it', 1],
    ['nested without end', '<a>'.repeat(100), 'elements are nested deeper than 64', 1],
  ])('%s', async (_, content, reason, line) => {
    expect((await read(content)).refusal).toEqual({ reason, line });
  });

  const hostile: Readonly<Record<string, readonly [string, RegExp]>> = {
    'a text without end': [`<a>${'x'.repeat(1024 * 1024)}`, /a text is longer than 65536 characters/],
    'an attribute without end': [`<a b="${'x'.repeat(1024 * 1024)}`, /a text is longer than 65536 characters/],
    'a comment without end': [`<a><!--${'x'.repeat(1024 * 1024)}`, /a text is longer than 65536 characters/],
    'an entry of countless elements': [
      message({ entries: `<Ntry>${'<x/>'.repeat(30_000)}</Ntry>` }),
      /more than 20000 elements in one entry/,
    ],
    'an entry too long to keep': [
      message({ entries: `<Ntry>${`<x>${'y'.repeat(10_000)}</x>`.repeat(10)}</Ntry>` }),
      /an entry is longer than 65536 characters/,
    ],
    'countless balances': [message({ balances: balance('FWAV', '1').repeat(1001) }), /more than 1000 balances/],
  };
  test.each(Object.entries(hostile))('with %s', async (_, [content, reason]) => {
    expect((await read(content)).refusal?.reason).toMatch(reason);
  });
});
