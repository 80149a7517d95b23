// Talking to the server: JSON both ways, errors in its own words, and news as they happen.

export class Fault extends Error {
  constructor(status, told) {
    const { subject = "", cause = "did not answer", advice = "" } = told ?? {};
    super(subject ? `${subject}: ${cause}` : cause);
    Object.assign(this, { status, subject, cause, advice });
  }
}

export async function call(method, path, body = undefined, more = {}) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      ...more,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Fault(0, { cause: "The server does not answer", advice: "Is it still running?" });
  }
  if (answer.status === 401 && path !== "/api/session") {
    location.href = `/login?to=${encodeURIComponent(location.pathname)}`;
    throw new Fault(401, { cause: "The password is needed" });
  }
  if (!answer.ok) throw new Fault(answer.status, await answer.json().catch(() => null));
  return answer.status === 204 ? null : answer.json();
}

export const get = (path, more) => call("GET", path, undefined, more);
export const post = (path, body = {}) => call("POST", path, body);
export const put = (path, body) => call("PUT", path, body);
export const remove = (path) => call("DELETE", path);

/** Call `handlers.job` and `handlers.recipe` with news; `handlers.back` after the connection was lost. */
export function listen(handlers) {
  const source = new EventSource("/api/events");
  let lost = false;
  for (const name of ["job", "recipe"]) {
    source.addEventListener(name, (event) => handlers[name]?.(JSON.parse(event.data)));
  }
  source.addEventListener("error", () => { lost = true; });
  source.addEventListener("open", () => { if (lost) handlers.back?.(); lost = false; });
  addEventListener("pagehide", () => source.close());
  return source;
}

const STAGES = {
  "": "Waiting", starting: "Starting", loading: "Getting ready", listening: "Listening", watching: "Watching",
  reading: "Reading the screen", looking: "Looking", writing: "Writing", pictures: "Taking pictures",
};

/** What a job is doing, in a cook's words. */
export function doing(job) {
  if (job.state === "queued") return "Waiting in line";
  return STAGES[job.stage] ?? job.stage[0].toUpperCase() + job.stage.slice(1);
}
