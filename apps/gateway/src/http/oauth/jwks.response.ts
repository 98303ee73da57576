import type { JsonSchema } from '@causeway/http';

const text = { type: 'string' };

export const jwksSchema: JsonSchema = {
  title: 'JsonWebKeySet',
  type: 'object',
  required: ['keys'],
  properties: {
    keys: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kty', 'crv', 'x', 'kid', 'use', 'alg'],
        properties: { kty: text, crv: text, x: text, y: text, kid: text, use: text, alg: text },
      },
    },
  },
};
