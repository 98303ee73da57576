import {
  sealedTo,
  type CreateTransferV1,
  type PayeeV1,
  type PublicKeyText,
  type SealedPayee,
} from '@causeway/contracts';
import type { AddressBody, CreateTransferBody, PayeeBody } from './transfer.body.ts';

const addressOf = (address: AddressBody): PayeeV1['address'] => ({
  line1: address.line1 ?? null,
  line2: address.line2 ?? null,
  city: address.city ?? null,
  region: address.region ?? null,
  postalCode: address.postalCode ?? null,
  country: address.country ?? null,
});

const payeeOf = ({ name, paymentIdentifier, bankName, address }: PayeeBody): PayeeV1 => {
  const { scheme, countryCode, currency, details } = paymentIdentifier;
  const where = { bankName: bankName ?? null, address: address === undefined ? null : addressOf(address) };
  return { name, paymentIdentifier: { scheme, countryCode, currency, details }, ...where };
};

/** Keys are rotated by hand, and the one before stays good for longer than this. */
const askedAgainMs = 10_000;

/** The key to seal to: the same for every caller, so that not every payment asks for it. */
export const rememberedKey = () => {
  let known: Readonly<{ publicKey: Promise<PublicKeyText>; untilMs: number }> | undefined;
  return (ask: () => Promise<PublicKeyText>): Promise<PublicKeyText> => {
    if (known !== undefined && performance.now() < known.untilMs) return known.publicKey;
    const asked = { publicKey: ask(), untilMs: performance.now() + askedAgainMs };
    known = asked;
    asked.publicKey.catch(() => known === asked && (known = undefined));
    return asked.publicKey;
  };
};

/**
 * Where the money is to go, as the owner of transfers takes it: an account by its id, somebody else sealed to the owner's
 * key, for this transfer alone.
 */
export const destinationFor = async (
  transferId: string,
  { destination }: Pick<CreateTransferBody, 'destination'>,
  publicKey: () => Promise<PublicKeyText>,
): Promise<CreateTransferV1['destination']> => {
  if (destination.type === 'account') return { type: 'account', accountId: destination.accountId.toLowerCase() };
  const sealed: SealedPayee = { transferId, payee: payeeOf(destination) };
  return { type: 'external', sealedPayee: await sealedTo(await publicKey(), JSON.stringify(sealed)) };
};
