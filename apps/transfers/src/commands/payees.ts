import {
  derivedKey,
  openSealed,
  publicKeyOf,
  type CreateTransferV1,
  type PublicKeyText,
  type SealedPayee,
} from '@causeway/contracts';
import type { DataKeys, KeyOwner } from '@causeway/data-keys';
import { normalPayee, type Order } from '@causeway/domain/transfers';
import type { SecretRing } from '@causeway/settings';
import { v5 as uuidV5 } from 'uuid';

/** Another purpose of a master key than wrapping data keys is another key. */
const purpose = 'payees on their way to transfers';
/** Of names of data keys. */
const namespace = '2d0f6f3c-6b0e-4b6a-9d6b-3d0d6a3f7c55';

/** Whom organizations pay: in clear nowhere but in this service's memory, and at the bank. */
export type Payees = Readonly<{
  /** What the gateway seals to. */
  publicKey: PublicKeyText;
  /** Throws for what was not sealed for this transfer. */
  destinationOf(command: CreateTransferV1): Promise<Order['destination']>;
  /** The id of the data key that the organization's payees are kept under in this environment; made at its first use. */
  dataKeyOf(owner: KeyOwner): Promise<string>;
}>;

export const payeesOf = (masterKeys: SecretRing, dataKeys: DataKeys): Payees => {
  const keys = masterKeys.map((secret) => derivedKey(secret, purpose));
  return {
    publicKey: publicKeyOf(derivedKey(masterKeys[0], purpose)),
    destinationOf: async ({ transferId, destination }) => {
      if (destination.type === 'account') return destination;
      const sealed = JSON.parse(await openSealed(destination.sealedPayee, keys)) as SealedPayee;
      if (sealed.transferId !== transferId) throw new Error(`${transferId}: a payee that is another transfer's`);
      return { type: 'external', payee: normalPayee(sealed.payee) };
    },
    dataKeyOf: async (owner) => {
      const id = uuidV5(JSON.stringify([owner.organization, owner.environment]), namespace);
      if (!(await dataKeys.isOf(id, owner))) await dataKeys.create(id, owner);
      return id;
    },
  };
};
