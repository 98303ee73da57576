import type { JsonSchema } from '@causeway/http';

const textOrNull = { type: ['string', 'null'] };

/** One change of a resource: when, why, and what it was from then on. */
export const changeSchema = (
  title: string,
  causes: readonly string[],
  resource: Readonly<Record<string, JsonSchema>>,
): JsonSchema => ({
  title,
  type: 'object',
  required: ['eventId', 'recordedAt', 'cause', 'reason', 'operator', ...Object.keys(resource)],
  properties: {
    eventId: { type: 'string', format: 'uuid' },
    recordedAt: { type: 'string', format: 'date-time' },
    cause: { type: 'string', enum: causes },
    reason: { ...textOrNull, description: 'Why a person had it done.' },
    operator: { ...textOrNull, description: 'The person.' },
    ...resource,
  },
});
