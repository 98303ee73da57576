import { IsOptional, IsString, Length } from 'class-validator';

/** What a user at the bank logs in with: null clears, what is left out stays. */
export class StoreCredentialsBody {
  @IsOptional() @IsString() @Length(1, 512) bankUsername?: string | null;
  @IsOptional() @IsString() @Length(1, 512) bankCustomerId?: string | null;
  @IsOptional() @IsString() @Length(1, 512) password?: string | null;
}
