import { invalidRequest, problems, Refused } from '@causeway/http';
import { Body, Controller, Get, Header, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lifetimeSeconds, type AccessTokens } from '../edge/access-tokens.ts';
import type { Client } from '../edge/authentication.ts';
import type { AddressOf } from '../edge/caller-address.ts';
import { showAllowance, type Identify } from '../edge/identification.ts';
import { Answers, BodyLimit, Consumes, NotLimited, Refuses } from '../edge/operation.ts';
import { ACCESS_TOKENS, ADDRESS_OF, IDENTIFY_CLIENT } from '../edge/tokens.ts';
import { clientOf } from './client.ts';
import type { JSONWebKeySet } from 'jose';
import { jwksSchema } from './jwks.response.ts';
import { form } from './oauth-error.ts';
import { TokenBody } from './token.body.ts';
import { TokenResponse } from './token.response.ts';

@Controller()
export class OauthController {
  constructor(
    @Inject(IDENTIFY_CLIENT) private readonly identify: Identify<Client>,
    @Inject(ADDRESS_OF) private readonly addressOf: AddressOf,
    @Inject(ACCESS_TOKENS) private readonly tokens: AccessTokens,
  ) {}

  @Post('oauth/token')
  @Consumes(form)
  @NotLimited(true)
  @Refuses(['unauthorized', 'rate_limited'])
  @BodyLimit(4 * 1024)
  @Answers(200, TokenResponse, 'Gives an access token for a key (OAuth 2.0 client credentials).')
  async token(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() body: TokenBody,
  ): Promise<TokenResponse> {
    const client = clientOf(request.headers.authorization, body);
    const { caller, allowance } = await this.identify(client, this.addressOf(request));
    const tooMany = allowance && showAllowance(reply, allowance);
    if (tooMany !== undefined) throw new Refused(tooMany);
    if (caller === undefined)
      throw new Refused({ ...problems.unauthorized, message: 'No key has this id and secret.' });
    request.caller = caller;
    const scopes = body.scope === undefined ? caller.scopes : [...new Set(body.scope.split(' '))];
    if (!scopes.every((scope) => caller.scopes.includes(scope))) {
      throw new Refused(invalidRequest([{ path: 'scope', message: 'names a scope that the key does not have' }]));
    }
    const access_token = await this.tokens.issue(caller.keyId, scopes);
    return { access_token, token_type: 'Bearer', expires_in: lifetimeSeconds, scope: scopes.join(' ') };
  }

  /** A new key is listed long before it signs. */
  @Get('.well-known/jwks.json')
  @Header('Cache-Control', 'public, max-age=300')
  @Answers(200, jwksSchema, 'The public keys that access tokens are signed with (RFC 7517), the newest first.')
  keys(): JSONWebKeySet {
    return this.tokens.jwks;
  }
}
