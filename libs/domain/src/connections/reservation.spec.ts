import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { ReservationEvent } from './reservation.events.ts';
import { reservation, type ReservationCommand } from './reservation.ts';

const at = '2026-03-01T10:00:00.000Z';
const claim = (holderId: string): ReservationCommand => ({ type: 'ClaimName', reservationId: 'r', holderId, at });
const release = (holderId: string): ReservationCommand => ({ type: 'ReleaseName', reservationId: 'r', holderId, at });
const claimed = (holderId: string): ReservationEvent => ({ type: 'NameClaimed', data: { holderId, claimedAt: at } });
const released = (holderId: string): ReservationEvent => ({ type: 'NameReleased', data: { holderId, releasedAt: at } });

deciderSpec(reservation, {
  'a free name goes to the first who claims it': { given: [], when: claim('a'), then: [claimed('a')] },
  'a second claimant hears who has it': {
    given: [claimed('a')],
    when: claim('b'),
    then: { rejected: { code: 'taken', holderId: 'a' } },
  },
  'the holder may claim again': { given: [claimed('a')], when: claim('a'), then: [] },
  'a released name is free': { given: [claimed('a'), released('a')], when: claim('b'), then: [claimed('b')] },
  'a release gives the name back': { given: [claimed('a')], when: release('a'), then: [released('a')] },
  'a release that comes late leaves the next holder alone': {
    given: [claimed('a'), released('a'), claimed('b')],
    when: release('a'),
    then: [],
  },
});
