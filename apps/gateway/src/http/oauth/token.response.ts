import { IsIn, IsInt, IsString } from 'class-validator';

/** RFC 6749, 5.1. */
export class TokenResponse {
  @IsString() access_token!: string;
  @IsIn(['Bearer']) token_type!: 'Bearer';

  /** Seconds. */
  @IsInt() expires_in!: number;

  /** What the token may, with spaces between. */
  @IsString() scope!: string;
}
