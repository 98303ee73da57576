import { invalidRequest, problems, Refused } from '@causeway/http';
import { BusClosed, CommandFailed, DeadlineExceeded, type Problem } from '@causeway/messaging';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@causeway/observability';
import { isOutage } from '@causeway/postgres';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from './answer.ts';
import type { Exists, Ids } from './targets.ts';

/** A statement that was cancelled, a conflict that outlasted its tries, and a view or a right that is missing. */
const unavailableSqlState = /^(57014|42P01|42501|3F000|55P03|40001|40P01|25006)$/;

const isUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if (error instanceof DeadlineExceeded || error instanceof BusClosed) return true;
  // Without a cause, nobody was there to handle the command.
  if (error instanceof CommandFailed && error.cause === undefined) return true;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && unavailableSqlState.test(code)) return true;
  return isOutage(error) || isUnavailable(error.cause);
};

/** What the server says of a body before anyone of ours has seen it; the framework has made its error an exception. */
const bodyProblem = (error: unknown): Problem | undefined => {
  if (error instanceof Refused) return undefined;
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown }).statusCode;
  if (status === 413) return problems.payloadTooLarge;
  if (status === 415) return problems.unsupportedMediaType;
  return status === 400 ? invalidRequest([{ path: '', message: 'The body is not valid JSON.' }]) : undefined;
};

/** The one place where a fault becomes an answer. The log gets what happened, the caller only that it did. */
@Catch()
export class Faults implements ExceptionFilter {
  constructor(
    private readonly log: Logger,
    private readonly exists: Exists,
  ) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const problem = await this.problemOf(error, request);
    if (!reply.sent) refuse(reply, problem);
  }

  private async problemOf(error: unknown, request: FastifyRequest): Promise<Problem> {
    const problem = error instanceof Refused ? error.problem : bodyProblem(error);
    if (problem === undefined) return this.faultOf(error, request);
    if (problem.status !== 400) return problem;
    return this.afterTargets(problem, request).catch((fault: unknown) => this.faultOf(fault, request));
  }

  /**
   * What is wrong with a request comes after the question whether what its path names is there: an unknown id is 404
   * whatever else the request holds. Asked only when the request is refused anyway.
   */
  private async afterTargets(problem: Problem, { operation, caller, params }: FastifyRequest): Promise<Problem> {
    if (operation === null || caller === null) return problem;
    return (await this.exists(operation.targets, caller, params as Ids)) ? problem : problems.notFound;
  }

  private faultOf(error: unknown, request: FastifyRequest): Problem {
    const problem = isUnavailable(error) ? problems.unavailable : problems.internalError;
    this.log.error({ requestId: request.id, err: error }, problem.type);
    return problem;
  }
}
