import { problems, type Cursors } from '@causeway/http';
import { Controller, Inject } from '@nestjs/common';
import { ok, refusal, type Answer } from '../edge/answer.ts';
import { list } from '../edge/list.ts';
import type { Call } from '../edge/route.ts';
import { Serves } from '../edge/serves.ts';
import { CURSORS } from '../edge/tokens.ts';
import { institutionOf, institutionsAfter, keyOfInstitution } from './institution-list.ts';
import { institutionResponse } from './institution.response.ts';
import { getInstitution, listInstitutions } from './institutions.routes.ts';

@Controller()
export class InstitutionsController {
  constructor(@Inject(CURSORS) private readonly cursors: Cursors) {}

  @Serves(listInstitutions)
  async list(call: Call<typeof listInstitutions>): Promise<Answer> {
    const { limit, query } = call.query;
    return list(this.cursors, listInstitutions, call, async (after) => {
      const found = institutionsAfter(call.caller.environment, query, after);
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      return {
        data: shown.map((institution) => JSON.stringify(institutionResponse(institution))).join(','),
        hasMore: found.length > limit,
        key: last === undefined ? [] : keyOfInstitution(last),
      };
    });
  }

  @Serves(getInstitution)
  async get({ caller, id, requestId }: Call<typeof getInstitution>): Promise<Answer> {
    const institution = institutionOf(caller.environment, id);
    return institution === undefined ? refusal(problems.notFound, requestId) : ok(institutionResponse(institution));
  }
}
