-- Counts a call of one caller, unless as many as allowed fell into the window.
-- KEYS[1] the caller; ARGV: how many at most, the window in microseconds, a name for the call.
-- Returns -1 if it was counted, else how many microseconds to wait.
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

-- What is a second ahead was written before the clock was set back: it would never grow old.
redis.call('ZREMRANGEBYSCORE', KEYS[1], string.format('%.0f', now + 1000000), '+inf')
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - window))

if redis.call('ZCARD', KEYS[1]) < limit then
  redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[3])
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
  return -1
end
local decisive = redis.call('ZRANGE', KEYS[1], -limit, -limit, 'WITHSCORES')
return math.max(1, tonumber(decisive[2]) + window - now)
