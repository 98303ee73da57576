import { apiScopes } from '@causeway/domain/gateway';
import { IsText, MayBeLeftOut, rule } from '@causeway/http';
import { IsIn } from 'class-validator';

const scopes = `(${apiScopes.join('|')})`;
const scopeList = new RegExp(`^${scopes}( ${scopes})*$`);

const IsScopeList = (): PropertyDecorator =>
  rule(
    'isScopeList',
    (value) => typeof value === 'string' && scopeList.test(value),
    `must be scopes with one space between: ${apiScopes.join(', ')}`,
    { type: 'string', pattern: scopeList.source },
  );

/** RFC 6749, 4.4.2. */
export class TokenBody {
  @IsIn(['client_credentials']) grant_type!: 'client_credentials';

  /** What of the key's scopes the token is to have; all of them when left out. */
  @MayBeLeftOut() @IsScopeList() scope?: string;

  /** The key's id, and below its secret, where these do not come by HTTP Basic. */
  @MayBeLeftOut() @IsText(100) client_id?: string;
  @MayBeLeftOut() @IsText(100) client_secret?: string;
}
