import type { JsonSchema } from '@causeway/http';
import { Controller, Get, Header, Inject } from '@nestjs/common';
import type { JSONWebKeySet } from 'jose';
import type { AccessTokens } from '../edge/access-tokens.ts';
import { Answers } from '../edge/operation.ts';
import { ACCESS_TOKENS } from '../edge/tokens.ts';

const text = { type: 'string' };

const jwksSchema: JsonSchema = {
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

@Controller('.well-known')
export class JwksController {
  constructor(@Inject(ACCESS_TOKENS) private readonly tokens: AccessTokens) {}

  /** A new key is listed long before it signs. */
  @Get('jwks.json')
  @Header('Cache-Control', 'public, max-age=300')
  @Answers(200, jwksSchema, 'The public keys that access tokens are signed with (RFC 7517), the newest first.')
  keys(): JSONWebKeySet {
    return this.tokens.jwks;
  }
}
