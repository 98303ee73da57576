import {
  Equals,
  IsBoolean,
  IsString,
  IsUUID,
  Length,
  Matches,
  MaxLength,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { IsShape, isDate } from '@causeway/http';
import { mayBeLeftOut } from '../edge/metadata.rule.ts';

const amount = /^\d{1,30}(\.\d{1,18})?$/;

/** The text of a decimal: a JSON number is no string, and loses digits on the way. */
const IsPositiveAmount = (): PropertyDecorator =>
  ValidateBy({
    name: 'isPositiveAmount',
    validator: {
      validate: (value) => typeof value === 'string' && amount.test(value) && /[1-9]/.test(value),
      defaultMessage: () => '$property must be a string: digits with an optional fraction of 1 to 18, above zero',
    },
  });

const IsCalendarDate = (): PropertyDecorator =>
  ValidateBy({
    name: 'isCalendarDate',
    validator: {
      validate: (value) => typeof value === 'string' && isDate(value),
      defaultMessage: () => '$property must be a date, YYYY-MM-DD',
    },
  });

const IsLiteral = (literal: string): PropertyDecorator => Equals(literal, { message: `$property must be ${literal}` });

class MoneyBody {
  @ValidateIf(mayBeLeftOut)
  @IsLiteral('money')
  type?: 'money';

  @IsString()
  @Matches(/^[A-Z0-9]{3,12}$/, { message: '$property must be a currency or asset code' })
  currency!: string;

  @IsPositiveAmount()
  value!: string;
}

class DestinationBody {
  @IsLiteral('account')
  type!: 'account';

  @IsUUID('all')
  accountId!: string;
}

/** Transfers between the organization's own accounts; external payments are not taken yet. */
export class CreateTransferBody {
  @IsLiteral('internal')
  type!: 'internal';

  @IsShape(MoneyBody)
  amount!: MoneyBody;

  @IsUUID('all')
  sourceAccountId!: string;

  @IsShape(DestinationBody)
  destination!: DestinationBody;

  @ValidateIf(mayBeLeftOut)
  @IsLiteral('internal')
  transferType?: 'internal';

  @ValidateIf(mayBeLeftOut)
  @IsString()
  @Length(1, 140)
  clientReference?: string;

  @ValidateIf(mayBeLeftOut)
  @IsCalendarDate()
  executionDate?: string;

  @ValidateIf(mayBeLeftOut)
  @IsString()
  @MaxLength(500)
  memo?: string;

  @ValidateIf(mayBeLeftOut)
  @IsBoolean()
  skipPreflight?: boolean;
}
