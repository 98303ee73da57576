import type { SetupV1 } from '@causeway/contracts';
import { IsOneOf, IsShape, MayBeLeftOut } from '@causeway/http';
import { provisioningStatuses, setupActions, setupActors, setupStatuses } from '@causeway/read-models';
import { IsBoolean, IsString } from 'class-validator';

class InstructionsResponse {
  @IsString() firstName!: string;
  @IsString() lastName!: string;
  @IsString() address!: string;
  @IsString() email!: string;
  @IsString() username!: string;
  @IsString() phoneNumber!: string;
  @IsOneOf(provisioningStatuses) emailProvisioningStatus!: string;
  @IsOneOf(provisioningStatuses) phoneNumberProvisioningStatus!: string;
}

export class SetupResponse {
  @IsOneOf(setupStatuses) status!: string;

  /** Of the user to be made at the bank, where there is one. */
  @MayBeLeftOut() @IsShape(InstructionsResponse) instructions?: InstructionsResponse;
  @IsBoolean() credentialsPresent!: boolean;
  @IsOneOf(setupActors) actionRequiredBy!: string;
  @IsOneOf(setupActions) nextAction!: string;
}

export const setupResponse = ({ status, instructions, ...setup }: SetupV1): SetupResponse => {
  const { credentialsPresent, actionRequiredBy, nextAction } = setup;
  const whom = instructions === null ? {} : { instructions };
  return { status, ...whom, credentialsPresent, actionRequiredBy, nextAction };
};
