import type { PreflightRefusal } from '@causeway/domain/transfers';
import type { Problem } from '@causeway/messaging';

export const refused = ({ type, path, message }: PreflightRefusal): Problem => ({
  status: 400,
  type,
  message: `${path}: ${message}`,
  details: { errors: [{ path, message }] },
});

export const keyReused = (transferId: string): Problem => ({
  status: 409,
  type: 'conflict',
  message: 'This Idempotency-Key was used for another transfer.',
  details: { transferId },
});
