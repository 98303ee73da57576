import { runService } from '@causeway/service';
import { connectionsService } from './connections.module.ts';

await runService(connectionsService);
