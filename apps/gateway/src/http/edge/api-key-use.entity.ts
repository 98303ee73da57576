import { Column, Entity, PrimaryColumn } from 'typeorm';

/** When a key was last used. No event: a key is used many times a second, and when it was last used decides nothing. */
@Entity({ schema: 'gateway', name: 'api_key_use' })
export class ApiKeyUse {
  @PrimaryColumn({ name: 'key_id', type: 'text' })
  keyId!: string;

  @Column({ name: 'last_used_at', type: 'timestamptz' })
  lastUsedAt!: Date;
}
