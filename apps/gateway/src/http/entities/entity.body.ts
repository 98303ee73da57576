import { MayBeLeftOut } from '@causeway/http';
import { ArrayMaxSize, IsArray, IsEmail, IsString, Length, MaxLength } from 'class-validator';
import { IsMetadata } from '../edge/metadata.rule.ts';

/** At most 2 KiB as UTF-8: what an index of Postgres takes. */
export const externalEntityIdLengthMax = 512;

export class CreateEntityBody {
  @IsString()
  @Length(1, externalEntityIdLengthMax)
  externalEntityId!: string;

  @MayBeLeftOut()
  @IsString()
  @MaxLength(512)
  name?: string;

  @MayBeLeftOut()
  @IsArray()
  @ArrayMaxSize(100)
  @IsEmail({}, { each: true })
  contactEmails?: string[];

  @MayBeLeftOut()
  @IsMetadata()
  metadata?: Record<string, unknown>;
}

/** Each address once, whatever its case; the first spelling stays where it stood. */
export const distinctEmails = (emails: readonly string[]): readonly string[] => {
  const seen = new Set<string>();
  return emails.filter((email) => {
    const folded = email.toLowerCase();
    if (seen.has(folded)) return false;
    seen.add(folded);
    return true;
  });
};
