import { connectorConformance } from '../testing/conformance.ts';
import { testInbox } from './testing/inbox.ts';

connectorConformance('the statement files connector', async () => {
  const inbox = testInbox();
  inbox.dropFixture('synth-multicurrency-intraday.bai2');
  inbox.dropFixture('synth-overlap-3-resent.bai2');
  inbox.dropFixture('synth-053-v08-multi.xml');
  return { connector: inbox.connector, access: inbox.access, close: async () => inbox.remove() };
});
