/** What a user at a bank logs in with. */
export const credentialNames = ['bankUsername', 'bankCustomerId', 'password'] as const;
export type CredentialName = (typeof credentialNames)[number];

type ProvisioningStatus = 'pending' | 'ready' | 'failed';

/** The user to be made at the bank, as whom we log in. */
export type Instructions = Readonly<{
  firstName: string;
  lastName: string;
  address: string;
  email: string;
  username: string;
  phoneNumber: string;
  emailProvisioningStatus: ProvisioningStatus;
  phoneNumberProvisioningStatus: ProvisioningStatus;
}>;
