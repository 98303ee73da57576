import type { FastifyRequest } from 'fastify';
import type { FieldError } from '@causeway/http';
import type { Problem } from '@causeway/messaging';

export const form = 'application/x-www-form-urlencoded';

/** The one endpoint that takes a form is that of RFC 6749. */
export const speaksOAuth = ({ operation }: FastifyRequest): boolean => operation?.bodyType === form;

/** RFC 6749, 5.2: the words for what our types of errors are at its endpoint; `invalid_request` for all others. */
const byType: Readonly<Record<string, string>> = {
  unauthorized: 'invalid_client',
  rate_limited: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
  internal_error: 'server_error',
};

/** Members whose faults have a word of their own. */
const byMember: Readonly<Record<string, string>> = { grant_type: 'unsupported_grant_type', scope: 'invalid_scope' };

/** A form that lacks a member, or has it twice, is malformed, whatever the member is for. */
const wordOf = ({ type, details }: Problem, form: Readonly<Record<string, unknown>>): string => {
  const { errors = [] } = (details ?? {}) as Readonly<{ errors?: readonly FieldError[] }>;
  const [word] = errors.flatMap(({ path }) => (typeof form[path] === 'string' ? (byMember[path] ?? []) : []));
  return byType[type] ?? word ?? 'invalid_request';
};

/** What the RFC allows in a description. */
const unprintable = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

/** The members that a client of OAuth looks for, beside ours. */
export const oauthMembers = (problem: Problem, body: unknown) => ({
  error: wordOf(problem, (body ?? {}) as Readonly<Record<string, unknown>>),
  error_description: problem.message.replace(unprintable, "'"),
});
