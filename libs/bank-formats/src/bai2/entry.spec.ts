import { fileOf } from '../testing/bai2-file.ts';
import { read } from '../testing/reading.ts';

const entryOf = async (...details: readonly string[]) => {
  const { entries, refusal } = await read(fileOf(...details));
  expect(refusal).toBeNull();
  expect(entries).toHaveLength(1);
  return entries[0]!;
};

describe('a detail record', () => {
  const wires: Readonly<Record<string, readonly string[]>> = {
    'has its references right behind an empty funds type': ['16,195,100,,FW1,INV 1,TEXT/'],
    'has three more fields under funds type S': ['16,195,100,S,10,20,70,FW1,INV 1,TEXT/'],
    'has a date and a time more under funds type V': ['16,195,100,V,260401,1130,FW1,INV 1,TEXT/'],
    'has days and amounts in pairs under funds type D': ['16,195,100,D,2,0,50,1,50,FW1,INV 1,TEXT/'],
    'has nothing more under funds types 0, 1, 2 and Z': ['16,195,100,Z,FW1,INV 1,TEXT/'],
    'may be continued in the middle of its funds': ['16,195,100,D,2,0/', '88,50,1,50,FW1,INV 1,TEXT/'],
    'may be continued before its references': ['16,195,100,S,10,20,70/', '88,FW1,INV 1,TEXT/'],
    'may have its text in the continuation only': ['16,195,100,,FW1,INV 1,/', '88,TEXT/'],
    'needs no slash at its end': ['16,195,100,,FW1,INV 1,TEXT'],
    'may be padded with blanks': [`${'16,195,100,,FW1,INV 1,TEXT/'.padEnd(80)}`],
    'takes amounts with a plus and leading zeros': ['16,195,+0000000100,,FW1,INV 1,TEXT/'],
  };
  test.each(Object.entries(wires))('%s', async (_, details) => {
    const { bankId, content } = await entryOf(...details);
    expect({ bankId, ...content }).toMatchObject({
      bankId: 'FW1',
      amount: '1.00',
      bankReference: 'FW1',
      customerReference: 'INV 1',
      description: 'TEXT',
    });
  });

  test('keeps commas and slashes of its text', async () => {
    const { content } = await entryOf('16,495,100,,,,PAY 1/2, PART/03,A/', '88,/ORG 7, 8/');
    expect(content).toMatchObject({
      description: 'PAY 1/2, PART/03,A /ORG 7, 8',
      rawDescription: 'PAY 1/2, PART/03,A\n/ORG 7, 8',
    });
  });

  test('has a continuation without a comma as its text, not as its reference', async () => {
    const { bankId, content } = await entryOf('16,195,100,0/', '88,SOME TEXT');
    expect({ bankId, description: content.description }).toEqual({ bankId: null, description: 'SOME TEXT' });
  });

  test.each([
    ['100', '1.00'],
    ['399', '1.00'],
    ['400', '-1.00'],
    ['699', '-1.00'],
    ['920', '1.00'],
    ['959', '1.00'],
    ['960', '-1.00'],
    ['999', '-1.00'],
    ['252', '1.00'],
    ['552', '-1.00'],
    ['557', '-1.00'],
  ])('of type %s moves %s', async (type, amount) => {
    expect((await entryOf(`16,${type},100,,,,/`)).content).toMatchObject({ amount, baiCode: type });
  });

  test.each(['', 'NONREF', 'nonref', '0000000000', '7777777', 'NOTPROVIDED'])(
    'with the reference %j has none',
    async (reference) => {
      const { bankId, content } = await entryOf(`16,195,100,,${reference},${reference},/`);
      expect([bankId, content.bankReference, content.customerReference]).toEqual([null, null, null]);
    },
  );

  test.each([
    ['142', 'ach'],
    ['495', 'wire'],
    ['475', 'check'],
    ['575', 'internalTransfer'],
    ['115', 'unknown'],
  ])('of type %s went by %s', async (type, rail) => {
    expect((await entryOf(`16,${type},100,,,,/`)).content.rail).toBe(rail);
  });

  test('names the payer of a credit and the payee of a debit', async () => {
    const lines = ['88,ORG:=ACME LLC', '88,BNF NAME:=BOLT INC', '88,DACT: 12345678', '88,EREF: E-1'];
    const credit = await entryOf('16,195,100,,,,WIRE', ...lines);
    const debit = await entryOf('16,495,100,,,,WIRE', ...lines);
    expect(credit.content).toMatchObject({
      counterpartyName: 'ACME LLC',
      counterpartyAccountEnd: '5678',
      customerReference: 'E-1',
    });
    expect(debit.content).toMatchObject({ counterpartyName: 'BOLT INC', counterpartyAccountEnd: null });
  });

  test('of text only (890) is no entry', async () => {
    expect((await read(fileOf('16,890,0,,,,GOOD MORNING/'))).entries).toEqual([]);
  });

  test.each([
    ['16,195,12.34,,,,/', 'line 4: amount 12.34 is unreadable'],
    ['16,195,,,,,/', 'line 4: amount (none) is unreadable'],
    ['16,720,100,,,,/', 'line 4: type code 720 is neither credit nor debit'],
    ['16,1e2,100,,,,/', 'line 4: type code 1e2 is neither credit nor debit'],
  ])('%s is left out and told', async (detail, anomaly) => {
    const { anomalies, entries, refusal } = await read(fileOf(detail));
    expect({ entries, refusal }).toEqual({ entries: [], refusal: null });
    expect(anomalies).toContain(anomaly);
  });

  test('with a value date that does not exist is booked, and told', async () => {
    const { anomalies, entries } = await read(fileOf('16,195,100,V,260230,,,,/'));
    expect(entries[0]?.valueDate).toBe('2026-02-28');
    expect(anomalies).toContain('line 4: value date 260230 does not exist');
  });
});
