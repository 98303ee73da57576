import type { Digest } from '@causeway/domain/ledger';
import { hash } from 'node:crypto';

/** 132 bits in base64: enough that nobody finds two narratives with the same one. */
const digestChars = 22;

export const digest: Digest = (text) => hash('sha256', text, 'base64url').slice(0, digestChars);
