import { IsCalendarDate, IsCurrency, IsShape, IsUuid, MayBeLeftOut, rule } from '@causeway/http';
import { Equals, IsBoolean, IsString, Length, MaxLength } from 'class-validator';

const amount = /^\d{1,30}(\.\d{1,18})?$/;

/** The text of a decimal: a JSON number is no string, and loses digits on the way. */
const IsPositiveAmount = (): PropertyDecorator =>
  rule(
    'isPositiveAmount',
    (value) => typeof value === 'string' && amount.test(value) && /[1-9]/.test(value),
    'must be a string: digits with an optional fraction of 1 to 18, above zero',
    { type: 'string', pattern: '^(?=.*[1-9])[0-9]{1,30}(\\.[0-9]{1,18})?$' },
  );

const IsLiteral = (literal: string): PropertyDecorator => Equals(literal, { message: `$property must be ${literal}` });

class MoneyBody {
  @MayBeLeftOut()
  @IsLiteral('money')
  type?: 'money';

  @IsCurrency()
  currency!: string;

  @IsPositiveAmount()
  value!: string;
}

class DestinationBody {
  @IsLiteral('account')
  type!: 'account';

  @IsUuid()
  accountId!: string;
}

/** Transfers between the organization's own accounts; external payments are not taken yet. */
export class CreateTransferBody {
  @IsLiteral('internal')
  type!: 'internal';

  @IsShape(MoneyBody)
  amount!: MoneyBody;

  @IsUuid()
  sourceAccountId!: string;

  @IsShape(DestinationBody)
  destination!: DestinationBody;

  @MayBeLeftOut()
  @IsLiteral('internal')
  transferType?: 'internal';

  @MayBeLeftOut()
  @IsString()
  @Length(1, 140)
  clientReference?: string;

  @MayBeLeftOut()
  @IsCalendarDate()
  executionDate?: string;

  @MayBeLeftOut()
  @IsString()
  @MaxLength(500)
  memo?: string;

  @MayBeLeftOut()
  @IsBoolean()
  skipPreflight?: boolean;
}
