import type { Fault, PreflightRefusal, TransferRejection } from '@causeway/domain/transfers';
import type { Problem } from '@causeway/messaging';

export const refused = ({ type, path, message }: PreflightRefusal): Problem => ({
  status: 400,
  type,
  message: `${path}: ${message}`,
  details: { errors: [{ path, message }] },
});

const errorsMax = 20;

export const invalid = (faults: readonly Fault[]): Problem => ({
  status: 400,
  type: 'invalid_request',
  message: faults.map(({ path, message }) => `${path} ${message}`)[0] ?? '',
  details: { errors: faults.slice(0, errorsMax) },
});

export const keyReused = (transferId: string): Problem => ({
  status: 409,
  type: 'conflict',
  message: 'This Idempotency-Key was used for another transfer.',
  details: { transferId },
});

export const notFound: Problem = { status: 404, type: 'not_found', message: 'There is no such transfer.' };

const verbs = { RetryTransfer: 'retried', CancelTransfer: 'cancelled' };

export const wrongStatus = (type: keyof typeof verbs, rejection: TransferRejection): Problem => {
  if (rejection.code !== 'wrong_status') return notFound;
  const message = `A transfer that is ${rejection.status} cannot be ${verbs[type]}.`;
  return { status: 409, type: 'conflict', message, details: { status: rejection.status } };
};
