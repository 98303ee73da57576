import { MayBeLeftOut } from '@causeway/http';
import { ArrayMaxSize, IsArray, IsEmail, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { IsMetadata } from '../edge/metadata.rule.ts';

/** At most 2 KiB as UTF-8: what an index of Postgres takes. */
export const externalEntityIdLengthMax = 512;

export class CreateEntityBody {
  @IsString() @Length(1, externalEntityIdLengthMax) externalEntityId!: string;
  @MayBeLeftOut() @IsString() @MaxLength(512) name?: string;
  @MayBeLeftOut() @IsArray() @ArrayMaxSize(100) @IsEmail({}, { each: true }) contactEmails?: string[];
  @MayBeLeftOut() @IsMetadata() metadata?: Record<string, unknown>;
}

/** What is left out stays; null clears. */
export class UpdateEntityBody {
  @IsOptional() @IsString() @MaxLength(512) name?: string | null;
  @MayBeLeftOut() @IsArray() @ArrayMaxSize(100) @IsEmail({}, { each: true }) contactEmails?: string[];
  @IsOptional() @IsMetadata() metadata?: Record<string, unknown> | null;
}
