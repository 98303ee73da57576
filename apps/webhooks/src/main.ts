import { runService } from '@causeway/service';
import { webhooksService } from './webhooks.module.ts';

await runService(webhooksService);
