import { externalTransferTypes, paymentSchemes, type PaymentScheme, type TransferTypeV1 } from '@causeway/contracts';
import {
  IsCalendarDate,
  IsCurrency,
  IsOneOf,
  IsShape,
  IsText,
  IsUuid,
  MayBeLeftOut,
  oneOf,
  rule,
} from '@causeway/http';
import {
  Equals,
  IsBoolean,
  isISO31661Alpha2,
  isISO4217CurrencyCode,
  IsObject,
  IsString,
  MaxLength,
} from 'class-validator';

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

/** Codes are in upper case; the lists are class-validator's. */
const isCode = (shape: RegExp, isListed: (text: unknown) => boolean) => (value: unknown) =>
  typeof value === 'string' && shape.test(value) && isListed(value);

const IsCountry = (): PropertyDecorator =>
  rule('isCountry', isCode(/^[A-Z]{2}$/, isISO31661Alpha2), 'must be a country, ISO 3166-1 alpha-2', {
    ...{ type: 'string', pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' },
  });

const IsIsoCurrency = (): PropertyDecorator =>
  rule('isIsoCurrency', isCode(/^[A-Z]{3}$/, isISO4217CurrencyCode), 'must be a currency, ISO 4217', {
    ...{ type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217; the currency of amount' },
  });

class MoneyBody {
  @MayBeLeftOut() @IsLiteral('money') type?: 'money';
  @IsCurrency() currency!: string;
  @IsPositiveAmount() value!: string;
}

class AccountDestinationBody {
  @IsLiteral('account') type!: 'account';
  @IsUuid() accountId!: string;
}

/** Orders of an organization between its own accounts. */
export class InternalTransferBody {
  @IsLiteral('internal') type!: 'internal';
  @IsShape(MoneyBody) amount!: MoneyBody;
  @IsUuid() sourceAccountId!: string;
  @IsShape(AccountDestinationBody) destination!: AccountDestinationBody;
  @MayBeLeftOut() @IsLiteral('internal') transferType?: 'internal';
  @MayBeLeftOut() @IsText(140) clientReference?: string;
  @MayBeLeftOut() @IsCalendarDate() executionDate?: string;
  @MayBeLeftOut() @IsString() @MaxLength(500) memo?: string;
  @MayBeLeftOut() @IsBoolean() skipPreflight?: boolean;
}

/** The members of `details` are the scheme's: whoever owns transfers checks them, checksums included. */
class PaymentIdentifierBody {
  @IsOneOf(paymentSchemes) scheme!: PaymentScheme;
  @IsCountry() countryCode!: string;
  @IsIsoCurrency() currency!: string;
  @IsObject() details!: Record<string, string>;
}

export class AddressBody {
  @MayBeLeftOut() @IsText(140) line1?: string;
  @MayBeLeftOut() @IsText(140) line2?: string;
  @MayBeLeftOut() @IsText(140) city?: string;
  @MayBeLeftOut() @IsText(140) region?: string;
  @MayBeLeftOut() @IsText(140) postalCode?: string;
  @MayBeLeftOut() @IsCountry() country?: string;
}

export class PayeeBody {
  @IsLiteral('external') type!: 'external';
  @IsText(140) name!: string;
  @IsShape(PaymentIdentifierBody) paymentIdentifier!: PaymentIdentifierBody;
  @MayBeLeftOut() @IsText(140) bankName?: string;
  @MayBeLeftOut() @IsShape(AddressBody) address?: AddressBody;
}

/** Payments to others. */
export class ExternalTransferBody {
  @IsLiteral('external') type!: 'external';
  @IsShape(MoneyBody) amount!: MoneyBody;
  @IsUuid() sourceAccountId!: string;
  @IsShape(PayeeBody) destination!: PayeeBody;
  @IsOneOf(externalTransferTypes) transferType!: Exclude<TransferTypeV1, 'internal'>;
  @MayBeLeftOut() @IsText(140) clientReference?: string;
  @MayBeLeftOut() @IsCalendarDate() executionDate?: string;
  @MayBeLeftOut() @IsString() @MaxLength(500) memo?: string;
  @MayBeLeftOut() @IsBoolean() skipPreflight?: boolean;
}

export const CreateTransferBody = oneOf('type', { internal: InternalTransferBody, external: ExternalTransferBody });
export type CreateTransferBody = InternalTransferBody | ExternalTransferBody;
